/**
 * A small etcd client for tests: one endpoint, no retries, every call with a deadline, so that a
 * test knows what was asked how often.
 */
import { Client as Channel, credentials } from '@grpc/grpc-js';
import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import { setTimeout as sleep } from 'node:timers/promises';
import { decode, encode } from './wire.js';

const defaultTimeoutMs = 10_000;

export interface KeyValue {
  key: string;
  value: string;
  createRevision: number;
  modRevision: number;
  version: number;
  /** Decimal; '0' when there is none. */
  lease: string;
}

export interface RangeOptions {
  end?: string;
  revision?: number;
  limit?: number;
  serializable?: boolean;
  countOnly?: boolean;
}

export interface Lease {
  /** Seconds left; -1 when the lease is not known. */
  ttl: number;
  grantedTtl: number;
  keys: string[];
}

export interface WatchEvent {
  type: 'put' | 'delete';
  kv: KeyValue;
}

export interface Status {
  memberId: string;
  /** '0' when there is none. */
  leader: string;
  revision: number;
  raftTerm: number;
}

/** The range end of all keys that begin with `prefix`, whose last character is below '~'. */
export function prefixEnd(prefix: string): string {
  const last = prefix.length - 1;
  return prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1);
}

export class Client {
  readonly #channel: Channel;

  /** Connects to host:port when it is first used, and again, soon, after each loss. */
  constructor(endpoint: string) {
    this.#channel = new Channel(endpoint, credentials.createInsecure(), {
      'grpc.enable_retries': 0,
      'grpc.initial_reconnect_backoff_ms': 50,
      'grpc.min_reconnect_backoff_ms': 50,
      'grpc.max_reconnect_backoff_ms': 100,
      'grpc.max_receive_message_length': -1,
      'grpc.use_local_subchannel_pool': 1,
    });
  }

  /** Waits until there is a connection: after a restart of the member it takes a moment. */
  connected(timeoutMs = defaultTimeoutMs): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#channel.waitForReady(Date.now() + timeoutMs, (error) =>
        error ? reject(error) : resolve(),
      );
    });
  }

  /**
   * Any unary method, such as `KV/Put`; messages are plain objects with the wire's field names.
   * Rejects with gRPC's status: `code` and `details`.
   */
  async call(
    method: string,
    fields: Record<string, unknown>,
    timeoutMs = defaultTimeoutMs,
    type = method.split('/')[1] ?? '',
  ): Promise<any> {
    const answer = await this.raw(method, encode(`${type}Request`, fields), timeoutMs);
    return decode(`${type}Response`, answer);
  }

  /** The same in bytes, which may be none that any server understands. */
  raw(method: string, request: Buffer, timeoutMs = defaultTimeoutMs): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#channel.makeUnaryRequest(
        `/etcdserverpb.${method}`,
        (bytes: Buffer) => bytes,
        (bytes: Buffer) => bytes,
        request,
        { deadline: Date.now() + timeoutMs },
        (error: ServiceError | null, response?: Buffer) =>
          error ? reject(error) : resolve(response ?? Buffer.alloc(0)),
      );
    });
  }

  /** Returns the revision of the write. */
  async put(
    key: string,
    value: string,
    options: { lease?: string; timeoutMs?: number } = {},
  ): Promise<number> {
    const fields = { key: bytes(key), value: bytes(value), lease: options.lease ?? '0' };
    const response = await this.call('KV/Put', fields, options.timeoutMs);
    return Number(response.header.revision);
  }

  async range(
    key: string,
    options: RangeOptions = {},
  ): Promise<{ revision: number; kvs: KeyValue[]; count: number; more: boolean }> {
    const fields = {
      key: bytes(key),
      range_end: bytes(options.end ?? ''),
      revision: options.revision ?? 0,
      limit: options.limit ?? 0,
      serializable: options.serializable ?? false,
      count_only: options.countOnly ?? false,
    };
    const response = await this.call('KV/Range', fields);
    return {
      revision: Number(response.header.revision),
      kvs: response.kvs.map(keyValue),
      count: Number(response.count),
      more: response.more,
    };
  }

  /** Every pair whose key begins with `prefix`, read in pages at one revision. */
  async all(prefix: string, options: { serializable?: boolean } = {}): Promise<KeyValue[]> {
    const end = prefixEnd(prefix);
    const found: KeyValue[] = [];
    let key = prefix;
    let revision = 0;
    for (;;) {
      const page = await this.range(key, { ...options, end, revision, limit: 2000 });
      found.push(...page.kvs);
      if (!page.more) return found;
      revision = revision === 0 ? page.revision : revision;
      key = `${page.kvs.at(-1)?.key}\0`;
    }
  }

  async compact(revision: number, options: { physical?: boolean } = {}): Promise<void> {
    await this.call('KV/Compact', { revision, ...options }, defaultTimeoutMs, 'Compaction');
  }

  /** Returns the id in decimal. */
  async leaseGrant(ttlSeconds: number): Promise<string> {
    const response = await this.call('Lease/LeaseGrant', { TTL: ttlSeconds });
    return response.ID;
  }

  async leaseRevoke(id: string): Promise<void> {
    await this.call('Lease/LeaseRevoke', { ID: id });
  }

  async leaseTimeToLive(id: string): Promise<Lease> {
    const response = await this.call('Lease/LeaseTimeToLive', { ID: id, keys: true });
    return {
      ttl: Number(response.TTL),
      grantedTtl: Number(response.grantedTTL),
      keys: response.keys.map((key: Buffer) => key.toString()),
    };
  }

  async leases(): Promise<string[]> {
    const response = await this.call('Lease/LeaseLeases', {});
    return response.leases.map((lease: { ID: string }) => lease.ID);
  }

  async status(timeoutMs?: number): Promise<Status> {
    const response = await this.call('Maintenance/Status', {}, timeoutMs);
    return {
      memberId: response.header.member_id,
      leader: response.leader,
      revision: Number(response.header.revision),
      raftTerm: Number(response.raftTerm),
    };
  }

  async hashKV(revision: number): Promise<{ hash: number; compactRevision: number }> {
    const response = await this.call('Maintenance/HashKV', { revision });
    return { hash: response.hash, compactRevision: Number(response.compact_revision) };
  }

  async moveLeader(target: string): Promise<void> {
    await this.call('Maintenance/MoveLeader', { targetID: target });
  }

  /** Watches one key, or the range from it to `end`. */
  watch(key: string, options: { end?: string; revision?: number } = {}): Watch {
    const stream = this.#channel.makeBidiStreamRequest(
      '/etcdserverpb.Watch/Watch',
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => decode('WatchResponse', bytes),
    );
    const create = {
      key: bytes(key),
      range_end: bytes(options.end ?? ''),
      start_revision: options.revision ?? 0,
    };
    stream.write(encode('WatchRequest', { create_request: create }));
    return new Watch(stream);
  }

  close(): void {
    this.#channel.close();
  }
}

/** What has come on one watch stream so far. */
export class Watch {
  readonly events: WatchEvent[] = [];
  /** True once the stream is over, for whatever reason. */
  ended = false;
  readonly #stream: ClientDuplexStream<Buffer, any>;

  constructor(stream: ClientDuplexStream<Buffer, any>) {
    this.#stream = stream;
    stream.on('data', (response) => {
      for (const event of response.events) this.events.push(watchEvent(event));
    });
    stream.on('error', () => (this.ended = true));
    stream.on('end', () => (this.ended = true));
  }

  async until(condition: () => boolean, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!condition()) {
      if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${condition}`);
      await sleep(5);
    }
  }

  cancel(): void {
    this.#stream.cancel();
  }
}

function watchEvent(event: any): WatchEvent {
  return { type: event.type === 1 ? 'delete' : 'put', kv: keyValue(event.kv) };
}

function bytes(text: string): Buffer {
  return Buffer.from(text);
}

function keyValue(kv: any): KeyValue {
  return {
    key: kv.key.toString(),
    value: kv.value.toString(),
    createRevision: Number(kv.create_revision),
    modRevision: Number(kv.mod_revision),
    version: Number(kv.version),
    lease: kv.lease,
  };
}
