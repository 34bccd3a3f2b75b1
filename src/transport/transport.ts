/** What the client port asks of whatever serves gRPC on its connections. */
import type { Duplex } from 'node:stream';
import type { Logger } from '../server/environment.js';
import type { Method } from '../server/rpc.js';

export interface TransportOptions {
  readonly methods: readonly Method[];
  /** The largest request that a service takes; messages may be 512 KiB larger. */
  readonly maxRequestBytes: number;
  /** Streams at a time on one connection; absent: as many as HTTP/2 can number. */
  readonly maxConcurrentStreams?: number;
  /** Pause before a quiet connection is pinged, 2 h by default. */
  readonly keepAliveIntervalMs?: number;
  /** How long a ping may go unanswered before the connection is closed, 20 s by default. */
  readonly keepAliveTimeoutMs?: number;
  /** Clients that ping more often are sent away, 5 s by default. */
  readonly keepAliveMinTimeMs?: number;
  readonly logger: Logger;
}

export interface Transport {
  /** Serves a connection whose client speaks HTTP/2; bytes put back on it are read first. */
  inject(connection: Duplex): void;
  /**
   * Refuses new calls, ends streams with "etcdserver: server stopped", lets unary calls finish, and
   * tells clients to go away. Resolves when no call is left; connections may still be open.
   */
  close(): Promise<void>;
  /** Closes all connections at once. */
  destroy(): void;
}

/** What a request's envelope may add to the largest request: etcd's allowance. */
const ENVELOPE_BYTES = 512 * 1024;

export const KEEP_ALIVE_INTERVAL_MS = 2 * 60 * 60 * 1000;
export const KEEP_ALIVE_TIMEOUT_MS = 20_000;
export const KEEP_ALIVE_MIN_TIME_MS = 5_000;

/** Bytes of the largest message that is taken. */
export function maxReceiveBytes(options: TransportOptions): number {
  return options.maxRequestBytes + ENVELOPE_BYTES;
}

/** Finds the method of a path. */
export class MethodTable {
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #services: ReadonlySet<string>;

  constructor(methods: readonly Method[]) {
    this.#methods = new Map(methods.map((method) => [method.path, method]));
    this.#services = new Set(methods.map(({ path }) => path.split('/')[1]!));
  }

  get(path: string): Method | undefined {
    return this.#methods.get(path);
  }

  /** Why there is no method of this path, in grpc-go's words. */
  explain(path: string): string {
    const [, service, method] = /^\/?(.*)\/([^/]*)$/.exec(path) ?? [];
    if (service === undefined) return `malformed method name: "${path}"`;
    return this.#services.has(service)
      ? `unknown method ${method} for service ${service}`
      : `unknown service ${service}`;
  }
}
