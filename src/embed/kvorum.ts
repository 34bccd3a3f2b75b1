/** A store inside this program: one member, with or without others, with or without ports. */
import {
  type CompactionResponse,
  type RangeRequest,
  type RequestOp,
  SortOrder,
  SortTarget,
  type TxnRequest,
  type TxnResponse,
} from '../api/index.js';
import {
  type Listener,
  type Member,
  type Services,
  measured,
  methodsOf,
  serveHttp,
} from '../server/index.js';
import { type ClientPortOptions, listenClientPort, type TlsSettings } from '../transport/index.js';
import { LOCAL_CALL } from './local-call.js';
import { openTls } from './server-tls.js';
import { type Bytes, Pair, latin1Of, prefixEnd } from './pair.js';
import { type WatchEvents, type WatchOptions, watchLocally } from './watch.js';

export interface PutOptions {
  /** Lease to attach the key to; it goes when the lease does. */
  lease?: bigint;
}

export interface ReadOptions {
  /** Read as of this revision; 0 is the latest. */
  revision?: number;
  /** Read this member's state as it is, without asking the quorum: fast, and perhaps old. */
  serializable?: boolean;
}

export interface RangeOptions extends ReadOptions {
  /** At most so many pairs. */
  limit?: number;
  keysOnly?: boolean;
}

/** How the connections of a client port are served; absent: as etcd does without flags. */
export type PortOptions = Pick<
  ClientPortOptions,
  | 'maxConcurrentStreams'
  | 'keepAliveMinTimeMs'
  | 'keepAliveIntervalMs'
  | 'keepAliveTimeoutMs'
  | 'transport'
>;

export interface ListenOptions extends PortOptions {
  /** Certificates, for an https URL. They are read again when their files change. */
  tls?: TlsSettings;
  /** Origins that browsers may call from; all by default. */
  corsOrigins?: readonly string[];
}

export class Kvorum {
  /** The member itself: its state, its raft, its membership. */
  readonly member: Member;
  /** etcd's services as functions: every request and answer of the v3 API. */
  readonly services: Services;
  readonly #closeDisk: () => Promise<void>;
  readonly #listeners: { close(): Promise<void> }[] = [];
  #closed: Promise<void> | undefined;

  constructor(member: Member, services: Services, closeDisk: () => Promise<void>) {
    this.member = member;
    this.services = services;
    this.#closeDisk = closeDisk;
  }

  /** The revision of the last change. */
  get revision(): number {
    return this.member.store.currentRevision;
  }

  /** Resolves with the revision of the write once it is durable. */
  async put(key: Bytes, value: Bytes, options: PutOptions = {}): Promise<number> {
    const request = {
      key: latin1Of(key),
      value: latin1Of(value),
      lease: options.lease ?? 0n,
      prevKv: false,
      ignoreValue: false,
      ignoreLease: false,
    };
    const { header } = await this.services.kv.put(request, LOCAL_CALL);
    return header!.revision;
  }

  /** The pair, or undefined when there is no such key. */
  async get(key: Bytes, options: ReadOptions = {}): Promise<Pair | undefined> {
    const response = await this.services.kv.range(rangeOf(latin1Of(key), '', options), LOCAL_CALL);
    const kv = response.kvs[0];
    return kv === undefined ? undefined : new Pair(kv);
  }

  /** All pairs whose key begins with `prefix`, in key order, as of one revision. */
  async list(prefix: Bytes, options: RangeOptions = {}): Promise<Pair[]> {
    const key = latin1Of(prefix);
    const request = rangeOf(key === '' ? '\0' : key, prefixEnd(key), options);
    const response = await this.services.kv.range(request, LOCAL_CALL);
    return response.kvs.map((kv) => new Pair(kv));
  }

  /** Resolves with the number of keys deleted: 0 or 1. */
  async delete(key: Bytes): Promise<number> {
    const request = { key: latin1Of(key), rangeEnd: '', prevKv: false };
    return (await this.services.kv.deleteRange(request, LOCAL_CALL)).deleted;
  }

  /** Resolves with the number of keys deleted. */
  async deletePrefix(prefix: Bytes): Promise<number> {
    const key = latin1Of(prefix);
    const request = { key: key === '' ? '\0' : key, rangeEnd: prefixEnd(key), prevKv: false };
    return (await this.services.kv.deleteRange(request, LOCAL_CALL)).deleted;
  }

  /**
   * Puts the value only if the key's last change is still `modRevision` (0: only if it does not exist).
   * Resolves with the new revision, or with undefined if somebody else was first.
   */
  async compareAndPut(key: Bytes, modRevision: number, value: Bytes): Promise<number | undefined> {
    const name = latin1Of(key);
    const put: RequestOp = {
      kind: 'put',
      request: {
        key: name,
        value: latin1Of(value),
        lease: 0n,
        prevKv: false,
        ignoreValue: false,
        ignoreLease: false,
      },
    };
    const operand = { kind: 'mod', value: modRevision } as const;
    const compare = { result: 0, target: 2, key: name, rangeEnd: '', operand };
    const response = await this.txn({ compare: [compare], success: [put], failure: [] });
    return response.succeeded ? response.header!.revision : undefined;
  }

  /** Any transaction of the v3 API. */
  txn(request: TxnRequest): Promise<TxnResponse> {
    return this.services.kv.txn(request, LOCAL_CALL);
  }

  /** Grants a lease of at least `ttlSeconds`; resolves with its id. */
  async grantLease(ttlSeconds: number): Promise<bigint> {
    const { id } = await this.services.lease.grant({ ttl: ttlSeconds, id: 0n }, LOCAL_CALL);
    return id;
  }

  /** Renews a lease; resolves with its seconds, or 0 when it is gone. */
  async keepAlive(id: bigint): Promise<number> {
    return (await this.services.lease.keepAlive({ id })).ttl;
  }

  /** Ends a lease and deletes its keys. */
  async revokeLease(id: bigint): Promise<void> {
    await this.services.lease.revoke({ id }, LOCAL_CALL);
  }

  /** Forgets what was overwritten or deleted before `revision`. */
  compact(revision: number): Promise<CompactionResponse> {
    return this.services.kv.compact({ revision, physical: true }, LOCAL_CALL);
  }

  /** The changes under a key or prefix, revision by revision, until the loop that reads them ends. */
  watch(key: Bytes, options: WatchOptions = {}): WatchEvents {
    return watchLocally(this.services.watch, latin1Of(key), options);
  }

  /**
   * Opens a client port (`http://127.0.0.1:2379`; port 0: any), for etcdctl and other clients. Rejects
   * with one clear line when the address is taken or the certificates are no good.
   */
  async listen(
    url: string,
    { tls, corsOrigins, ...options }: ListenOptions = {},
  ): Promise<Listener> {
    const listener = await listenClientPort({
      ...options,
      url,
      methods: measured(methodsOf(this.services), this.member.metrics, () =>
        this.member.monotonicMs(),
      ),
      http: (request) => serveHttp(this.member, request),
      maxRequestBytes: this.member.config.maxRequestBytes,
      ...(tls && { tls: openTls(tls, 'client', this.member.log) }),
      ...(corsOrigins && { corsOrigins }),
      logger: this.member.log,
    });
    this.#listeners.push(listener);
    return listener;
  }

  /** Closes `port` when the store is closed. */
  closeWith(port: { close(): Promise<void> }): void {
    this.#listeners.push(port);
  }

  /** Closes ports, hands over leadership if others can take it, and closes the data dir. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.member.handOver();
    await Promise.all(this.#listeners.map((listener) => listener.close()));
    await this.member.stop();
    await this.#closeDisk();
  }
}

function rangeOf(key: string, rangeEnd: string, options: RangeOptions): RangeRequest {
  return {
    key,
    rangeEnd,
    limit: options.limit ?? 0,
    revision: options.revision ?? 0,
    sortOrder: SortOrder.none,
    sortTarget: SortTarget.key,
    serializable: options.serializable ?? false,
    keysOnly: options.keysOnly ?? false,
    countOnly: false,
    minModRevision: 0,
    maxModRevision: 0,
    minCreateRevision: 0,
    maxCreateRevision: 0,
  };
}
