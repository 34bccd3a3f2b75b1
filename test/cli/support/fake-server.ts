/** A gRPC server whose every answer a test decides: for what a real server would hardly do on demand. */
import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { statusError, type Code, type EtcdError } from '../../../src/api/index.js';
import { methods, type Method } from '../../../src/client/method.js';

type Answer = (request: unknown) => unknown;
type Talk = (stream: FakeStream) => void;

/** The server's end of a stream. */
export class FakeStream {
  readonly received: unknown[] = [];
  private waiting: (() => void)[] = [];
  ended = false;

  constructor(
    private readonly call: ServerDuplexStream<Buffer, Buffer>,
    private readonly method: Method<unknown, unknown>,
  ) {
    call.on('data', (bytes: Buffer) => {
      this.received.push(method.request.decode(bytes));
      this.notify();
    });
    const end = (): void => {
      this.ended = true;
      this.notify();
    };
    call.on('end', end);
    call.on('cancelled', end);
    call.on('error', end);
  }

  get metadata(): Record<string, unknown> {
    return this.call.metadata.getMap();
  }

  /** Settles when `count` requests have come. */
  async requests(count: number): Promise<unknown[]> {
    while (this.received.length < count && !this.ended) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    return this.received;
  }

  async end(): Promise<void> {
    while (!this.ended) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  send(response: unknown): void {
    this.call.write(Buffer.from(this.method.response.encode(response)));
  }

  /** Ends the call well. */
  finish(): void {
    this.call.end();
  }

  fail(code: Code, message: string): void {
    this.call.emit('error', { code, details: message });
  }

  private notify(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

/** Answers of unary methods and talks of streams, by their names in src/client/method.ts. */
export interface Script {
  unary?: Partial<Record<keyof typeof methods, Answer>>;
  stream?: Partial<Record<keyof typeof methods, Talk>>;
}

export interface FakeServer {
  /** host:port. */
  endpoint: string;
  stop(): void;
}

/** Serves on a free port of 127.0.0.1. An answer that throws EtcdError is that status. */
export async function startFakeServer(script: Script): Promise<FakeServer> {
  const server = new Server({ 'grpc.max_receive_message_length': -1 });
  for (const [name, answer] of Object.entries(script.unary ?? {})) {
    serveUnary(server, name as keyof typeof methods, answer);
  }
  for (const [name, talk] of Object.entries(script.stream ?? {})) {
    serveStream(server, name as keyof typeof methods, talk);
  }
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { endpoint: `127.0.0.1:${port}`, stop: () => server.forceShutdown() };
}

const asIs = (bytes: Buffer): Buffer => bytes;

function serveUnary(server: Server, name: keyof typeof methods, answer: Answer): void {
  const method = methods[name] as Method<unknown, unknown>;
  const handler = (
    call: ServerUnaryCall<Buffer, Buffer>,
    callback: sendUnaryData<Buffer>,
  ): void => {
    try {
      const response = answer(method.request.decode(call.request));
      callback(null, Buffer.from(method.response.encode(response)));
    } catch (error) {
      const { code, message } = error as EtcdError;
      callback({ code, details: message });
    }
  };
  server.register(method.path, handler, asIs, asIs, 'unary');
}

function serveStream(server: Server, name: keyof typeof methods, talk: Talk): void {
  const method = methods[name] as Method<unknown, unknown>;
  const handler = (call: ServerDuplexStream<Buffer, Buffer>): void =>
    talk(new FakeStream(call, method));
  server.register(method.path, handler, asIs, asIs, 'bidi');
}

/** For answers: a status that is not in etcd's table. */
export { statusError };
