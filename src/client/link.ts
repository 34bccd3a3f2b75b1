/** One endpoint's gRPC channel. The only file here that touches grpc-js. */
import {
  Client,
  Metadata,
  connectivityState,
  credentials,
  type ChannelCredentials,
  type ChannelOptions,
  type ClientDuplexStream,
  type ClientReadableStream,
} from '@grpc/grpc-js';
import { Code, statusError } from '../api/index.js';
import { fromCallFailure } from './errors.js';
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

export class Link {
  private readonly client: Client;

  constructor(
    target: string,
    secure: boolean,
    private readonly options: LinkOptions,
  ) {
    this.client = new Client(
      target,
      channelCredentials(secure, options.tls),
      channelOptions(options),
    );
  }

  /** Waits until the channel is usable; false when it failed to connect or time ran out. */
  async isReady(deadlineMs: number): Promise<boolean> {
    const channel = this.client.getChannel();
    for (;;) {
      const state = channel.getConnectivityState(true);
      if (state === connectivityState.READY) return true;
      if (state === connectivityState.TRANSIENT_FAILURE) return false;
      const changed = await new Promise<boolean>((resolve) =>
        channel.watchConnectivityState(state, deadlineMs, (error) => resolve(error === undefined)),
      );
      if (!changed) return false;
    }
  }

  /** One request, one answer. `deadlineMs` is a Date.now() time or Infinity. Throws EtcdError. */
  async unary<Q, R>(
    method: Method<Q, R>,
    request: Q,
    deadlineMs: number,
    metadata: CallMetadata = {},
  ): Promise<R> {
    const bytes = this.encode(method, request);
    try {
      const answer = await new Promise<Buffer>((resolve, reject) => {
        this.client.makeUnaryRequest(
          method.path,
          asIs,
          asIs,
          bytes,
          metadataOf(metadata),
          { deadline: deadlineMs },
          (error, value) => (error ? reject(error) : resolve(value!)),
        );
      });
      return this.decode(method, answer);
    } catch (error) {
      throw fromCallFailure(error, Date.now() >= deadlineMs);
    }
  }

  /** A stream that begins at once and has no deadline. */
  stream<Q, R>(method: Method<Q, R>, metadata: CallMetadata = {}): Stream<Q, R> {
    const call = this.client.makeBidiStreamRequest(method.path, asIs, asIs, metadataOf(metadata));
    call.on('error', () => {}); // the reader gets it too; without a listener it would end the process
    return {
      send: (request) => void call.write(this.encode(method, request)),
      end: () => call.end(),
      cancel: () => call.cancel(),
      ended: new Promise((resolve) => call.on('status', () => resolve())),
      [Symbol.asyncIterator]: () => this.read(method, call),
    };
  }

  /**
   * One request, many answers; the server waits for a reader that is slow. `deadlineMs` as in
   * {@link Link.unary}.
   */
  answers<Q, R>(method: Method<Q, R>, request: Q, deadlineMs: number): Answers<R> {
    const call = this.client.makeServerStreamRequest(
      method.path,
      asIs,
      asIs,
      this.encode(method, request),
      new Metadata(),
      { deadline: deadlineMs },
    );
    call.on('error', () => {}); // as above
    return {
      cancel: () => call.cancel(),
      ended: new Promise((resolve) => call.on('status', () => resolve())),
      [Symbol.asyncIterator]: () => this.read(method, call, deadlineMs),
    };
  }

  private async *read<Q, R>(
    method: Method<Q, R>,
    call: ClientDuplexStream<Buffer, Buffer> | ClientReadableStream<Buffer>,
    deadlineMs = Infinity,
  ): AsyncGenerator<R> {
    try {
      for await (const bytes of call) yield this.decode(method, bytes as Buffer);
    } catch (error) {
      throw fromCallFailure(error, Date.now() >= deadlineMs);
    } finally {
      call.cancel();
    }
  }

  close(): void {
    this.client.close();
  }

  private encode<Q, R>(method: Method<Q, R>, request: Q): Buffer {
    const bytes = method.request.encode(request);
    const { maxSendBytes } = this.options;
    if (bytes.length > maxSendBytes) {
      throw statusError(
        Code.resourceExhausted,
        `trying to send message larger than max (${bytes.length} vs. ${maxSendBytes})`,
      );
    }
    return asBuffer(bytes);
  }

  private decode<Q, R>(method: Method<Q, R>, bytes: Buffer): R {
    const { maxReceiveBytes } = this.options;
    if (bytes.length > maxReceiveBytes) {
      throw statusError(
        Code.resourceExhausted,
        `grpc: received message larger than max (${bytes.length} vs. ${maxReceiveBytes})`,
      );
    }
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

/** Encoding and size limits are this file's: grpc-js has texts of its own for them. */
function asIs(bytes: Buffer): Buffer {
  return bytes;
}

function metadataOf(entries: CallMetadata): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(entries)) metadata.set(name, value);
  return metadata;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function channelCredentials(secure: boolean, tls: TlsOptions | undefined): ChannelCredentials {
  if (!secure) return credentials.createInsecure();
  return credentials.createSsl(tls?.ca ?? null, tls?.key ?? null, tls?.cert ?? null, {
    rejectUnauthorized: !(tls?.skipVerify ?? false),
  });
}

function channelOptions(options: LinkOptions): ChannelOptions {
  return {
    'grpc.max_send_message_length': -1,
    'grpc.max_receive_message_length': -1,
    'grpc.keepalive_time_ms': Math.max(options.keepAliveTimeMs, SMALLEST_KEEPALIVE_MS),
    'grpc.keepalive_timeout_ms': options.keepAliveTimeoutMs,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 3000,
    'grpc.enable_retries': 0,
    'grpc.enable_http_proxy': 0,
  };
}
