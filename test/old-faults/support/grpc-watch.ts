/** A watch stream over gRPC, whose reader may leave its socket full. */
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import type { WatchRequest, WatchResponse } from '../../../src/api/index.js';
import { watchRequest, watchResponse } from '../../../src/codec/index.js';
import type { Kvorum } from '../../../src/embed/index.js';
import { WatchTape } from './watch-tape.js';

const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

export class GrpcWatch extends WatchTape {
  readonly #client: Client;
  readonly #call: ClientDuplexStream<WatchRequest, WatchResponse>;

  private constructor(port: number) {
    super();
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
      'grpc.use_local_subchannel_pool': 1,
    });
    this.#call = this.#client.makeBidiStreamRequest(
      '/etcdserverpb.Watch/Watch',
      (request: WatchRequest) => asBuffer(watchRequest.encode(request)),
      (bytes) => watchResponse.decode(bytes),
    );
    this.#call.on('data', (response: WatchResponse) => this.responses.push(response));
    this.#call.on('error', (error) => (this.ended = error));
  }

  /** Opens a client port of `store` and a stream to it. */
  static async open(store: Kvorum): Promise<GrpcWatch> {
    const { port } = await store.listen('http://127.0.0.1:0');
    return new GrpcWatch(port);
  }

  protected override send(request: WatchRequest): void {
    this.#call.write(request);
  }

  override close(): void {
    this.#call.cancel();
    this.#client.close();
  }

  /** The socket fills up, and then what is in front of it. */
  stopReading(): void {
    this.#call.pause();
  }

  readOn(): void {
    this.#call.resume();
  }
}
