/** One endpoint: its connection, made when it is needed and made again when it is lost, and calls on it. */
import { connect as connectNet, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Code, etcdError, statusError } from '../api/index.js';
import { ClientCall, ClientConnection } from '../grpc/index.js';
import type { Method } from './method.js';

export interface TlsOptions {
  /** PEM; absent: the system's. */
  ca?: Buffer;
  cert?: Buffer;
  key?: Buffer;
  /** Accept any server certificate. */
  skipVerify: boolean;
}

export interface LinkOptions {
  keepAliveTimeMs: number;
  keepAliveTimeoutMs: number;
  /** Largest request in bytes. */
  maxSendBytes: number;
  /** Largest answer in bytes. */
  maxReceiveBytes: number;
  tls?: TlsOptions;
}

/** The answers of a stream. Reading them (`for await`) waits for the reader; errors are EtcdErrors. */
export interface Answers<Response> extends AsyncIterable<Response> {
  /** Ends the call: a reader that waits gets the status Canceled. */
  cancel(): void;
  /** Settles when the stream is over, however it ended. */
  readonly ended: Promise<void>;
}

/** A bidirectional stream; `cancel` ends both directions. */
export interface Stream<Request, Response> extends Answers<Response> {
  send(request: Request): void;
  /** Says that no more requests will come; answers still do. */
  end(): void;
}

/** Request metadata: names in lower case. */
export type CallMetadata = Readonly<Record<string, string>>;

/** Go's gRPC does not ping more often than this, whatever it is asked. */
const SMALLEST_KEEPALIVE_MS = 10_000;

/** After a failure nobody is let try again for so long; each failure makes it longer, up to the second. */
const FIRST_BACKOFF_MS = 100;
const LAST_BACKOFF_MS = 3000;
const BACKOFF_GROWTH = 1.6;

export class Link {
  private readonly address: Address;
  private connection: ClientConnection | undefined;
  /** The attempt to connect that is under way: resolves to whether it went well. */
  private attempt: Promise<boolean> | undefined;
  private dialing: Socket | undefined;
  private backoffMs = FIRST_BACKOFF_MS;
  private notBeforeMs = -Infinity;
  private closed = false;

  /** `target` is an endpoint's in gRPC's notation. */
  constructor(
    target: string,
    private readonly secure: boolean,
    private readonly options: LinkOptions,
  ) {
    this.address = addressOf(target);
  }

  /** Waits until there is a connection; false when it could not be made or time ran out. */
  async isReady(deadlineMs: number): Promise<boolean> {
    if (this.connection?.isUsable === true) return true;
    if (this.attempt === undefined) {
      if (this.closed || performance.now() < this.notBeforeMs) return false;
      this.attempt = this.connect();
    }
    return this.withinTime(this.attempt, deadlineMs);
  }

  private async withinTime(attempt: Promise<boolean>, deadlineMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), Math.max(0, deadlineMs - Date.now()));
    });
    const ready = await Promise.race([attempt, timeout]);
    clearTimeout(timer);
    return ready;
  }

  private connect(): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (went: boolean): void => {
        if (this.attempt === undefined) return; // settled before
        this.attempt = undefined;
        this.dialing = undefined;
        this.noteAttempt(went);
        resolve(went);
      };
      const socket = this.dial();
      this.dialing = socket;
      socket.on('error', () => done(false)).on('close', () => done(false));
      socket.once(this.secure ? 'secureConnect' : 'connect', () => {
        const connection = this.takeOver(socket);
        void connection.ready.then(() => {
          this.connection = connection;
          done(true);
        });
      });
    });
  }

  private dial(): Socket {
    const { address } = this;
    if (!this.secure) return connectNet({ ...address, noDelay: true });
    const { ca, cert, key, skipVerify } = this.options.tls ?? { skipVerify: false };
    return connectTls({
      ...address,
      ALPNProtocols: ['h2'],
      rejectUnauthorized: !skipVerify,
      ...('host' in address && !IP.test(address.host) && { servername: address.host }),
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
    }).setNoDelay(true);
  }

  private takeOver(socket: Socket): ClientConnection {
    const { keepAliveTimeMs, keepAliveTimeoutMs } = this.options;
    return new ClientConnection(socket, {
      keepAlive: {
        intervalMs: Math.max(keepAliveTimeMs, SMALLEST_KEEPALIVE_MS),
        timeoutMs: keepAliveTimeoutMs,
      },
    });
  }

  private noteAttempt(went: boolean): void {
    if (went) {
      this.backoffMs = FIRST_BACKOFF_MS;
      return;
    }
    this.notBeforeMs = performance.now() + this.backoffMs;
    this.backoffMs = Math.min(LAST_BACKOFF_MS, this.backoffMs * BACKOFF_GROWTH);
  }

  /** One request, one answer. `deadlineMs` is a Date.now() time or Infinity. Throws EtcdError. */
  async unary<Q, R>(
    method: Method<Q, R>,
    request: Q,
    deadlineMs: number,
    metadata: CallMetadata = {},
  ): Promise<R> {
    const call = this.ask(method, request, deadlineMs, metadata);
    const answer = await call.next();
    if (answer === undefined) throw statusError(Code.internal, 'the answer has no message');
    // A status behind a message counts.
    if ((await call.next()) !== undefined) call.cancel();
    return this.decode(method, answer);
  }

  /** A stream that begins at once and has no deadline. */
  stream<Q, R>(method: Method<Q, R>, metadata: CallMetadata = {}): Stream<Q, R> {
    const call = this.begin(method.path, Infinity, metadata);
    return {
      send: (request) => call.write(this.encode(method, request)),
      end: () => call.endRequests(),
      cancel: () => call.cancel(),
      ended: call.ended,
      [Symbol.asyncIterator]: () => this.read(method, call),
    };
  }

  /**
   * One request, many answers; the server waits for a reader that is slow. `deadlineMs` as in
   * {@link Link.unary}.
   */
  answers<Q, R>(
    method: Method<Q, R>,
    request: Q,
    deadlineMs: number,
    metadata: CallMetadata = {},
  ): Answers<R> {
    const call = this.ask(method, request, deadlineMs, metadata);
    return {
      cancel: () => call.cancel(),
      ended: call.ended,
      [Symbol.asyncIterator]: () => this.read(method, call),
    };
  }

  private ask<Q, R>(
    method: Method<Q, R>,
    request: Q,
    deadlineMs: number,
    metadata: CallMetadata,
  ): ClientCall {
    const bytes = this.encode(method, request);
    const call = this.begin(method.path, deadlineMs, metadata);
    call.write(bytes, true);
    return call;
  }

  private begin(path: string, deadlineMs: number, metadata: CallMetadata): ClientCall {
    const { connection, secure } = this;
    if (this.closed) throw etcdError('contextCanceled');
    if (connection === undefined) throw statusError(Code.unavailable, 'there is no connection');
    const { authority } = this.address;
    const { maxReceiveBytes } = this.options;
    return new ClientCall(connection, {
      path,
      authority,
      secure,
      metadata,
      deadlineMs,
      maxReceiveBytes,
    });
  }

  private async *read<Q, R>(method: Method<Q, R>, call: ClientCall): AsyncGenerator<R> {
    try {
      for (;;) {
        const bytes = await call.next();
        if (bytes === undefined) return;
        yield this.decode(method, bytes);
      }
    } finally {
      call.cancel();
    }
  }

  /** Ends the connection and its calls. */
  close(): void {
    this.closed = true;
    this.dialing?.destroy();
    this.connection?.end();
  }

  private encode<Q, R>(method: Method<Q, R>, request: Q): Uint8Array {
    const bytes = method.request.encode(request);
    const { maxSendBytes } = this.options;
    if (bytes.length > maxSendBytes) {
      throw statusError(
        Code.resourceExhausted,
        `trying to send message larger than max (${bytes.length} vs. ${maxSendBytes})`,
      );
    }
    return bytes;
  }

  private decode<Q, R>(method: Method<Q, R>, bytes: Uint8Array): R {
    try {
      return method.response.decode(bytes);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw statusError(Code.internal, `grpc: failed to unmarshal the received message: ${why}`, {
        cause: error,
      });
    }
  }
}

/** Where to connect to, and what the server is called in requests. */
type Address = ({ host: string; port: number } | { path: string }) & { authority: string };

const IP = /^[0-9.]+$|:/;

function addressOf(target: string): Address {
  const [, path] = /^unix:(.*)$/s.exec(target) ?? [];
  if (path !== undefined) return { path, authority: 'localhost' };
  const [, host = '', port] = /^[a-z0-9]+:(.*):([0-9]+)$/.exec(target) ?? [];
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port),
    authority: `${host}:${port}`,
  };
}
