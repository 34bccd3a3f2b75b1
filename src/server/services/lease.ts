/** etcdserverpb.Lease (semantics.md 3). Renewal and time-to-live are the leader's to answer. */
import {
  type LeaseGrantRequest,
  type LeaseGrantResponse,
  type LeaseKeepAliveRequest,
  type LeaseKeepAliveResponse,
  type LeaseLeasesResponse,
  type LeaseRevokeRequest,
  type LeaseRevokeResponse,
  type LeaseTimeToLiveRequest,
  type LeaseTimeToLiveResponse,
  isEtcdError,
} from '../../api/index.js';
import * as codec from '../../codec/index.js';
import type { Member } from '../member.js';
import type { CallContext, Method, StreamReader, StreamWriter } from '../rpc.js';
import { admit, asRefusal, stream, unary } from './methods.js';

export class LeaseService {
  readonly #member: Member;

  constructor(member: Member) {
    this.#member = member;
  }

  async grant(request: LeaseGrantRequest, context: CallContext): Promise<LeaseGrantResponse> {
    admit(this.#member, context);
    const id = request.id === 0n ? this.#member.nextLeaseId() : request.id;
    const op = { kind: 'leaseGrant', request: { ...request, id } } as const;
    this.#member.checkQuota(op);
    return this.#member.propose<LeaseGrantResponse>(op);
  }

  async revoke(request: LeaseRevokeRequest, context: CallContext): Promise<LeaseRevokeResponse> {
    admit(this.#member, context);
    return this.#member.propose<LeaseRevokeResponse>({ kind: 'leaseRevoke', request });
  }

  /** TTL 0 says that the lease is gone; that is an answer, not an error. */
  async keepAlive(request: LeaseKeepAliveRequest): Promise<LeaseKeepAliveResponse> {
    // The revision before renewing: a client may wait for what an expiry at it has deleted.
    const header = this.#member.header();
    try {
      const ttl = await this.#member.leaseRouter.renew(request.id);
      this.#member.metrics.leasesRenewed.value++;
      return { header, id: request.id, ttl };
    } catch (error) {
      if (!isEtcdError(error, 'leaseNotFound')) throw error;
      return { header, id: request.id, ttl: 0 };
    }
  }

  async timeToLive(
    request: LeaseTimeToLiveRequest,
    context: CallContext,
  ): Promise<LeaseTimeToLiveResponse> {
    admit(this.#member, context);
    const response = await this.#member.leaseRouter.timeToLive(request);
    response.header = this.#member.header();
    return response;
  }

  leases(context: CallContext): LeaseLeasesResponse {
    admit(this.#member, context);
    const ids = this.#member.lessor.leases();
    return { header: this.#member.header(), leases: ids.map((id) => ({ id })) };
  }

  /** Answers in the order of the requests; ends when the client has ended and all are answered. */
  openKeepAlive(
    out: StreamWriter<LeaseKeepAliveResponse>,
    context: CallContext,
  ): StreamReader<LeaseKeepAliveRequest> {
    admit(this.#member, context);
    const release = this.#member.leaderWatch.guard(context, (error) => out.end(error));
    let pending: Promise<void> = Promise.resolve();
    const answer = async (request: LeaseKeepAliveRequest) => {
      try {
        out.write(await this.keepAlive(request));
      } catch (error) {
        release();
        const refusal = asRefusal(error);
        if (refusal === undefined) throw error;
        out.end(refusal);
      }
    };
    return {
      message: (request) => (pending = pending.then(() => answer(request))),
      halfClose: () => {
        void pending.then(() => {
          release();
          out.end();
        });
      },
      cancel: release,
    };
  }
}

export function leaseMethods(service: LeaseService): Method[] {
  const path = '/etcdserverpb.Lease/';
  return [
    unary(
      `${path}LeaseGrant`,
      codec.leaseGrantRequest,
      codec.leaseGrantResponse,
      (request, context) => service.grant(request, context),
    ),
    unary(
      `${path}LeaseRevoke`,
      codec.leaseRevokeRequest,
      codec.leaseRevokeResponse,
      (request, context) => service.revoke(request, context),
    ),
    stream(
      `${path}LeaseKeepAlive`,
      codec.leaseKeepAliveRequest,
      codec.leaseKeepAliveResponse,
      true,
      (out, context) => service.openKeepAlive(out, context),
    ),
    unary(
      `${path}LeaseTimeToLive`,
      codec.leaseTimeToLiveRequest,
      codec.leaseTimeToLiveResponse,
      (request, context) => service.timeToLive(request, context),
    ),
    unary(
      `${path}LeaseLeases`,
      codec.leaseLeasesRequest,
      codec.leaseLeasesResponse,
      (_request, context) => service.leases(context),
    ),
  ];
}
