/** A server that is another one but for one fault: its answers go through functions of the test's. */
import {
  Client,
  Metadata,
  Server,
  ServerCredentials,
  credentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceError,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { methods, type Method } from '../../../src/client/method.js';

type Name = keyof typeof methods;

/** What is done to the answers of a method, by its name in src/client/method.ts; undefined drops one. */
export type Faults = Partial<Record<Name, (answer: any) => unknown>>;

export interface FaultyProxy {
  /** host:port. */
  endpoint: string;
  stop(): void;
}

const STREAMS: readonly Name[] = ['watch', 'leaseKeepAlive'];
const asIs = (bytes: Buffer): Buffer => bytes;

/** Serves what `target` (host:port) serves, with `faults`, on a free port of 127.0.0.1. */
export async function startFaultyProxy(target: string, faults: Faults): Promise<FaultyProxy> {
  const client = new Client(target, credentials.createInsecure());
  const server = new Server({ 'grpc.max_receive_message_length': -1 });
  for (const name of Object.keys(methods) as Name[]) {
    const method = methods[name] as Method<unknown, unknown>;
    const change = changeOf(method, faults[name]);
    if (STREAMS.includes(name)) forwardStream(server, client, method, change);
    else if (name !== 'snapshot' && name !== 'rangeStream') {
      forwardUnary(server, client, method, change);
    }
  }
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const stop = (): void => {
    server.forceShutdown();
    client.close();
  };
  return { endpoint: `127.0.0.1:${port}`, stop };
}

type Change = (bytes: Buffer) => Buffer | undefined;

function changeOf(
  method: Method<unknown, unknown>,
  fault: ((answer: unknown) => unknown) | undefined,
): Change {
  if (fault === undefined) return asIs;
  return (bytes) => {
    const answer = fault(method.response.decode(bytes));
    return answer === undefined ? undefined : Buffer.from(method.response.encode(answer));
  };
}

function forwardUnary(
  server: Server,
  client: Client,
  { path }: Method<unknown, unknown>,
  change: Change,
): void {
  const handler = (
    call: ServerUnaryCall<Buffer, Buffer>,
    callback: sendUnaryData<Buffer>,
  ): void => {
    client.makeUnaryRequest(path, asIs, asIs, call.request, new Metadata(), (error, answer) => {
      if (error !== null) return callback(error as ServiceError);
      const changed = change(answer!);
      if (changed !== undefined) callback(null, changed); // dropped: no answer at all
    });
  };
  server.register(path, handler, asIs, asIs, 'unary');
}

function forwardStream(
  server: Server,
  client: Client,
  { path }: Method<unknown, unknown>,
  change: Change,
): void {
  const handler = (call: ServerDuplexStream<Buffer, Buffer>): void => {
    const onward = client.makeBidiStreamRequest(path, asIs, asIs);
    call.on('data', (bytes: Buffer) => onward.write(bytes));
    call.on('end', () => onward.end());
    call.on('cancelled', () => onward.cancel());
    onward.on('data', (bytes: Buffer) => {
      const changed = change(bytes);
      if (changed !== undefined) call.write(changed);
    });
    onward.on('end', () => call.end());
    onward.on('error', () => call.end());
  };
  server.register(path, handler, asIs, asIs, 'bidi');
}
