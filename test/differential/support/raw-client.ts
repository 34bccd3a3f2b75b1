/**
 * A gRPC client as thin as it can be: one endpoint, no retries, no judgement. What a call comes to, an
 * answer or a status, is a value.
 */
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import type { ClientDuplexStream, ServiceError, StatusObject } from '@grpc/grpc-js';
import { decodeMessage, encodeMessage, wireMethod, type Plain, type WireMethod } from './wire.js';

/** A message, or the status that ended the call. */
export type Answer =
  | { readonly message: Plain; readonly error?: undefined }
  | { readonly message?: undefined; readonly error: { code: string; text: string } };

const TIMEOUT_MS = 60_000;
const identity = (bytes: Buffer): Buffer => bytes;

export class RawClient {
  readonly #channel: Client;

  /** `endpoint` is host:port. */
  constructor(endpoint: string) {
    this.#channel = new Client(endpoint, credentials.createInsecure(), {
      'grpc.enable_retries': 0,
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      'grpc.use_local_subchannel_pool': 1,
    });
  }

  /** Resolves when there is a connection. */
  connected(): Promise<void> {
    return new Promise((resolve, reject) => {
      const deadline = Date.now() + TIMEOUT_MS;
      this.#channel.waitForReady(deadline, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** One request, one answer. `method` is such as `KV/Range`. */
  call(method: string, request: Plain, metadata: Record<string, string> = {}): Promise<Answer> {
    const wire = wireMethod(method);
    return new Promise((resolve) => {
      this.#channel.makeUnaryRequest(
        wire.path,
        identity,
        identity,
        encodeMessage(wire.request, request),
        metadataOf(metadata),
        { deadline: Date.now() + TIMEOUT_MS },
        (error: ServiceError | null, bytes?: Buffer) =>
          resolve(error ? failure(error) : answerOf(wire, bytes!)),
      );
    });
  }

  /** Opens a call with many requests and many answers, such as `Watch/Watch`. */
  stream(method: string, metadata: Record<string, string> = {}): RawStream {
    const wire = wireMethod(method);
    const metadataObject = metadataOf(metadata);
    const call = this.#channel.makeBidiStreamRequest(wire.path, identity, identity, metadataObject);
    return new RawStream(wire, call);
  }

  close(): void {
    this.#channel.close();
  }
}

/** Answers are kept until they are asked for; the last one of a stream that has ended is its status. */
export class RawStream {
  readonly #wire: WireMethod;
  readonly #call: ClientDuplexStream<Buffer, Buffer>;
  readonly #answers: Answer[] = [];
  readonly #waiting: ((answer: Answer) => void)[] = [];

  constructor(wire: WireMethod, call: ClientDuplexStream<Buffer, Buffer>) {
    this.#wire = wire;
    this.#call = call;
    call.on('data', (bytes: Buffer) => this.#take(answerOf(wire, bytes)));
    call.on('error', () => {}); // told by 'status'
    call.on('status', (end: StatusObject) => this.#take(failure(end)));
  }

  write(request: Plain): void {
    this.#call.write(encodeMessage(this.#wire.request, request));
  }

  /** The next answer, when it has come; an error that no server sends when none comes in time. */
  next(timeoutMs = TIMEOUT_MS): Promise<Answer> {
    const answer = this.#answers.shift();
    if (answer !== undefined) return Promise.resolve(answer);
    return new Promise((resolve) => {
      const take = (taken: Answer) => {
        clearTimeout(timer);
        resolve(taken);
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        resolve({ error: { code: 'none', text: `(no answer within ${timeoutMs} ms)` } });
      }, timeoutMs);
      this.#waiting.push(take);
    });
  }

  /** Answers that have come and not been asked for. */
  takeAll(): Answer[] {
    return this.#answers.splice(0);
  }

  /** No more requests; answers go on. */
  halfClose(): void {
    this.#call.end();
  }

  cancel(): void {
    this.#call.cancel();
  }

  #take(answer: Answer): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#answers.push(answer);
    else waiting(answer);
  }
}

function answerOf(wire: WireMethod, bytes: Uint8Array): Answer {
  return { message: decodeMessage(wire.response, bytes) };
}

function failure({ code, details }: { code: number; details: string }): Answer {
  return { error: { code: status[code] ?? String(code), text: details } };
}

function metadataOf(pairs: Record<string, string>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(pairs)) metadata.set(name, value);
  return metadata;
}
