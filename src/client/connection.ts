/**
 * Calls to a cluster through any of its endpoints: waits for one that answers, moves on when one
 * fails, and asks again where that is harmless.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { assert, etcdError } from '../api/index.js';
import { parseEndpoint } from './endpoint.js';
import { isUnavailable } from './errors.js';
import { type Answers, type CallMetadata, Link, type LinkOptions, type Stream } from './link.js';
import type { Method } from './method.js';

export interface ConnectionOptions extends LinkOptions {
  /** At least one; see {@link parseEndpoint} for the forms. */
  endpoints: readonly string[];
  /** How long one endpoint may take to connect before the next is tried. */
  dialTimeoutMs: number;
  /** Called once, when no endpoint could be connected to at the first try. */
  unreachable?: () => void;
}

/** Two mebibytes a request, and no limit (but an int32's) to an answer: as etcd's own client. */
export const DEFAULT_OPTIONS: Omit<ConnectionOptions, 'endpoints'> = {
  dialTimeoutMs: 2000,
  keepAliveTimeMs: 2000,
  keepAliveTimeoutMs: 6000,
  maxSendBytes: 2 * 1024 * 1024,
  maxReceiveBytes: 2 ** 31 - 1,
};

export interface CallOptions {
  /** When to give up with `context deadline exceeded`: a Date.now() time. Absent: never. */
  deadlineMs?: number;
  /** Sent along with the request. */
  metadata?: CallMetadata;
}

const RETRY_PAUSE_MS = 25;
const MAX_ATTEMPTS = 100;

export class Connection {
  private readonly links: Link[];
  /** The endpoint that calls go to. */
  private current = 0;
  private closed = false;
  private toldUnreachable = false;
  private readonly streams = new Set<{ cancel(): void }>();

  constructor(readonly options: ConnectionOptions) {
    assert(options.endpoints.length > 0, () => 'a connection needs an endpoint');
    this.links = options.endpoints.flatMap((text) => {
      const endpoint = parseEndpoint(text.trim());
      if (endpoint === undefined) return [];
      return [new Link(endpoint.target, endpoint.secure ?? options.tls !== undefined, options)];
    });
  }

  /**
   * One request, one answer. Waits for an endpoint as long as the deadline allows. A repeatable call
   * that meets Unavailable is sent again, up to 100 times 25 ms apart, as etcd's client does; others
   * only ever go out on a connection that stands. Throws EtcdError.
   */
  async unary<Q, R>(method: Method<Q, R>, request: Q, options: CallOptions = {}): Promise<R> {
    const deadlineMs = options.deadlineMs ?? Infinity;
    for (let attempt = 1; ; attempt++) {
      const link = await this.readyLink(deadlineMs);
      try {
        return await link.unary(method, request, deadlineMs, options.metadata);
      } catch (error) {
        const again = method.repeatable && isUnavailable(error) && attempt < MAX_ATTEMPTS;
        if (!again) throw error;
        this.leave(link);
        await pause(RETRY_PAUSE_MS);
      }
    }
  }

  /** Opens a stream on an endpoint that answers. The stream itself is never retried here. */
  async stream<Q, R>(method: Method<Q, R>, metadata: CallMetadata = {}): Promise<Stream<Q, R>> {
    const link = await this.readyLink(Infinity);
    return this.tracked(link.stream(method, metadata));
  }

  /** One request, many answers, from an endpoint that answers; never asked again. */
  async answers<Q, R>(
    method: Method<Q, R>,
    request: Q,
    { deadlineMs = Infinity }: CallOptions = {},
  ): Promise<Answers<R>> {
    const link = await this.readyLink(deadlineMs);
    return this.tracked(link.answers(method, request, deadlineMs));
  }

  /** Later calls go elsewhere: the endpoint in use has failed a stream. */
  moveOn(): void {
    this.current = (this.current + 1) % Math.max(1, this.links.length);
  }

  /** Cancels what is under way; later calls are refused. */
  close(): void {
    this.closed = true;
    for (const stream of this.streams) stream.cancel();
    for (const link of this.links) link.close();
  }

  private tracked<S extends Answers<unknown>>(stream: S): S {
    this.streams.add(stream);
    void stream.ended.then(() => this.streams.delete(stream));
    return stream;
  }

  private tellUnreachable(): void {
    if (this.toldUnreachable) return;
    this.toldUnreachable = true;
    this.options.unreachable?.();
  }

  private leave(link: Link): void {
    if (this.links[this.current] === link) this.moveOn();
  }

  /** The current endpoint, or the next one that is or becomes ready. */
  private async readyLink(deadlineMs: number): Promise<Link> {
    while (Date.now() < deadlineMs) {
      if (this.closed) throw etcdError('contextCanceled');
      for (let i = 0; i < this.links.length; i++) {
        const link = this.links[this.current]!;
        const until = Math.min(deadlineMs, Date.now() + this.options.dialTimeoutMs);
        if (await link.isReady(until)) return link;
        this.leave(link);
      }
      this.tellUnreachable();
      await pause(Math.min(RETRY_PAUSE_MS, Math.max(0, deadlineMs - Date.now())));
    }
    throw etcdError('contextDeadlineExceeded');
  }
}
