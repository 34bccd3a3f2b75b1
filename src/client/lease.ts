/** The Lease service, with keep-alives that repeat. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  etcdError,
  isEtcdError,
  type EtcdError,
  type LeaseGrantRequest,
  type LeaseGrantResponse,
  type LeaseKeepAliveRequest,
  type LeaseKeepAliveResponse,
  type LeaseLeasesResponse,
  type LeaseRevokeRequest,
  type LeaseRevokeResponse,
  type LeaseTimeToLiveRequest,
  type LeaseTimeToLiveResponse,
} from '../api/index.js';
import type { CallOptions, Connection } from './connection.js';
import { isFinal } from './errors.js';
import type { Stream } from './link.js';
import { methods } from './method.js';

/** Every call throws EtcdError. */
export interface LeaseClient {
  grant(request: LeaseGrantRequest, options?: CallOptions): Promise<LeaseGrantResponse>;
  revoke(request: LeaseRevokeRequest, options?: CallOptions): Promise<LeaseRevokeResponse>;
  timeToLive(
    request: LeaseTimeToLiveRequest,
    options?: CallOptions,
  ): Promise<LeaseTimeToLiveResponse>;
  leases(options?: CallOptions): Promise<LeaseLeasesResponse>;
  /** Renews once. A lease that is gone is the refusal leaseNotFound. */
  keepAliveOnce(id: bigint): Promise<LeaseKeepAliveResponse>;
  /**
   * Renews at every third of the TTL and yields each answer; ends when the lease is gone, or when no
   * server has answered for as long as the lease lives (at first: the dial timeout and a second).
   * Reconnects in between.
   */
  keepAlive(id: bigint): AsyncGenerator<LeaseKeepAliveResponse>;
}

export function createLeaseClient(connection: Connection): LeaseClient {
  return {
    grant: (request, options) => connection.unary(methods.leaseGrant, request, options),
    revoke: (request, options) => connection.unary(methods.leaseRevoke, request, options),
    timeToLive: (request, options) => connection.unary(methods.leaseTimeToLive, request, options),
    leases: (options) => connection.unary(methods.leaseLeases, {}, options),
    keepAliveOnce: (id) => keepAliveOnce(connection, id),
    keepAlive: (id) => keepAlive(connection, id),
  };
}

type KeepAliveStream = Stream<LeaseKeepAliveRequest, LeaseKeepAliveResponse>;

async function keepAliveOnce(connection: Connection, id: bigint): Promise<LeaseKeepAliveResponse> {
  for (;;) {
    try {
      const answer = await renew(connection, id);
      if (answer.ttl <= 0) throw etcdError('leaseNotFound');
      return answer;
    } catch (error) {
      if (!isEtcdError(error) || isFinal(error)) throw error;
      connection.moveOn();
      await pause(500);
    }
  }
}

async function renew(connection: Connection, id: bigint): Promise<LeaseKeepAliveResponse> {
  const stream = await connection.stream(methods.leaseKeepAlive);
  stream.send({ id });
  for await (const answer of stream) return answer;
  throw etcdError('stopped');
}

async function* keepAlive(
  connection: Connection,
  id: bigint,
): AsyncGenerator<LeaseKeepAliveResponse> {
  let aliveUntilMs = Date.now() + connection.options.dialTimeoutMs + 1000;
  while (Date.now() < aliveUntilMs) {
    const stream = await within(connection.stream(methods.leaseKeepAlive), aliveUntilMs);
    if (stream === undefined) return;
    try {
      for await (const answer of renewals(stream, id, aliveUntilMs)) {
        if (answer.ttl <= 0) return;
        aliveUntilMs = Date.now() + answer.ttl * 1000;
        yield answer;
      }
    } catch (error) {
      if (!isEtcdError(error) || isFinal(error as EtcdError)) throw error;
      connection.moveOn();
    } finally {
      stream.cancel();
    }
    await pause(500);
  }
}

/** Answers on one stream, a third of the TTL apart; ends when an answer stays away too long. */
async function* renewals(
  stream: KeepAliveStream,
  id: bigint,
  firstUntilMs: number,
): AsyncGenerator<LeaseKeepAliveResponse> {
  const answers = stream[Symbol.asyncIterator]();
  let untilMs = firstUntilMs;
  for (;;) {
    stream.send({ id });
    const next = await within(answers.next(), untilMs);
    if (next === undefined || next.done) return;
    untilMs = Date.now() + next.value.ttl * 1000;
    yield next.value;
    await pause((next.value.ttl * 1000) / 3);
  }
}

/** What `work` comes to, or undefined when `untilMs` comes first. */
async function within<T>(work: Promise<T>, untilMs: number): Promise<T | undefined> {
  const stop = new AbortController();
  const timer = pause(Math.max(0, untilMs - Date.now()), undefined, { signal: stop.signal });
  try {
    return await Promise.race([work, timer]);
  } finally {
    stop.abort();
    timer.catch(() => {});
    work.catch(() => {}); // a loser of the race may still fail
  }
}
