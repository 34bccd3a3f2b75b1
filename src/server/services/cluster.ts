/** etcdserverpb.Cluster (semantics.md 5). */
import type {
  MemberAddRequest,
  MemberAddResponse,
  MemberIdRequest,
  MemberListRequest,
  MemberListResponse,
  MemberUpdateRequest,
  MembersResponse,
} from '../../api/index.js';
import * as codec from '../../codec/index.js';
import type { Member } from '../member.js';
import type { CallContext, Method } from '../rpc.js';
import { admit, unary } from './methods.js';

export class ClusterService {
  readonly #member: Member;

  constructor(member: Member) {
    this.#member = member;
  }

  async list(request: MemberListRequest, context: CallContext): Promise<MemberListResponse> {
    admit(this.#member, context);
    if (request.linearizable) await this.#member.linearizableRead();
    return this.#answer();
  }

  async add(request: MemberAddRequest, context: CallContext): Promise<MemberAddResponse> {
    admit(this.#member, context);
    const member = await this.#member.reconfiguration.add(request.peerUrls, request.isLearner);
    return { ...this.#answer(), member };
  }

  async remove(request: MemberIdRequest, context: CallContext): Promise<MembersResponse> {
    admit(this.#member, context);
    await this.#member.reconfiguration.remove(request.id);
    return this.#answer();
  }

  async update(request: MemberUpdateRequest, context: CallContext): Promise<MembersResponse> {
    admit(this.#member, context);
    await this.#member.reconfiguration.update(request.id, request.peerUrls);
    return this.#answer();
  }

  async promote(request: MemberIdRequest, context: CallContext): Promise<MembersResponse> {
    admit(this.#member, context);
    await this.#member.reconfiguration.promote(request.id);
    return this.#answer();
  }

  /** Cluster answers carry no revision. */
  #answer(): MembersResponse {
    return {
      header: { ...this.#member.header(), revision: 0 },
      members: this.#member.membership.list(),
    };
  }
}

export function clusterMethods(service: ClusterService): Method[] {
  const path = '/etcdserverpb.Cluster/';
  return [
    unary(
      `${path}MemberList`,
      codec.memberListRequest,
      codec.memberListResponse,
      (request, context) => service.list(request, context),
    ),
    unary(`${path}MemberAdd`, codec.memberAddRequest, codec.memberAddResponse, (request, context) =>
      service.add(request, context),
    ),
    unary(
      `${path}MemberRemove`,
      codec.memberRemoveRequest,
      codec.memberRemoveResponse,
      (request, context) => service.remove(request, context),
    ),
    unary(
      `${path}MemberUpdate`,
      codec.memberUpdateRequest,
      codec.memberUpdateResponse,
      (request, context) => service.update(request, context),
    ),
    unary(
      `${path}MemberPromote`,
      codec.memberPromoteRequest,
      codec.memberPromoteResponse,
      (request, context) => service.promote(request, context),
    ),
  ];
}
