/** A snapshot on its way between two processes: chunk by chunk, each delayed, broken by cuts and crashes. */
import type { Message } from '../raft/index.js';
import { type Endpoint, type Link, type VirtualNetwork, hostOf } from './network.js';

/** How long a side waits for the other before it gives up. */
const STALL_US = 5_000_000;

export class SnapshotStream {
  readonly #network: VirtualNetwork;
  readonly #sender: Endpoint;
  readonly #urls: readonly string[];
  readonly #there: Link;
  readonly #back: Link;
  /** The process that the stream goes to; a later one at the same place knows nothing of it. */
  #receiver: Endpoint | undefined;

  constructor(network: VirtualNetwork, sender: Endpoint, urls: readonly string[]) {
    this.#network = network;
    this.#sender = sender;
    this.#urls = urls;
    this.#there = network.link(sender.node, hostOf(urls));
    this.#back = network.link(hostOf(urls), sender.node);
  }

  /** Resolves, in the sender's process, with whether the receiver took it. `body` is used up in any case. */
  async send(message: Message, body: AsyncIterable<Uint8Array>): Promise<boolean> {
    const id = this.#network.announce(this.#sender, this.#there.to, message);
    const chunks = new Chunks();
    let verdict: boolean | undefined;
    let heard = () => {};
    const answer = new Promise<void>((resolve) => (heard = resolve));
    const answered = (ok: boolean) => {
      verdict ??= ok;
      heard();
    };
    this.#network.carry(this.#there, 100, () => {
      if (this.#there.condition.cuts === 0) this.#offer(id, message, chunks, answered);
    });
    for await (const chunk of body) {
      const arrived = await this.#chunkArrived(chunk, chunks);
      if (!arrived || verdict !== undefined) break;
    }
    if (verdict === undefined) {
      this.#network.carry(this.#there, 100, () => this.#arrive(() => chunks.end()));
      this.#network.loop.schedule(STALL_US, this.#sender, heard);
      await answer;
    }
    chunks.fail();
    return verdict ?? false;
  }

  /** At the receiver: hands the stream over, and sends back what came of it. */
  #offer(id: number, message: Message, chunks: Chunks, answered: (ok: boolean) => void): void {
    const answer = (ok: boolean) => {
      this.#network.carry(this.#back, 100, () => {
        if (this.#sender.isAlive) this.#sender.deliver(() => answered(ok));
      });
    };
    const receiver = this.#network.endpointAt(this.#urls);
    if (receiver === undefined || !isAddressee(receiver, this.#sender, message))
      return answer(false);
    this.#receiver = receiver;
    this.#watchFor(receiver, chunks);
    receiver.deliver(() => {
      this.#network.trace.record('receive', receiver.node, id);
      receiver.handler.receiveSnapshot(message, chunks).then(
        () => answer(true),
        (error: unknown) => {
          const why = error instanceof Error ? error.message : String(error);
          this.#network.trace.record('drop', receiver.node, id, why);
          answer(false);
        },
      );
    });
  }

  /** The receiver gives up when nothing has come for a while: the sender may be gone. */
  #watchFor(receiver: Endpoint, chunks: Chunks): void {
    const seen = chunks.arrived;
    this.#network.loop.schedule(STALL_US, receiver, () => {
      if (chunks.isOver) return;
      if (chunks.arrived === seen) chunks.fail();
      else this.#watchFor(receiver, chunks);
    });
  }

  /** Resolves, in the sender's process, when the chunk has arrived or was given up (false). */
  #chunkArrived(chunk: Uint8Array, chunks: Chunks): Promise<boolean> {
    return new Promise((resolve) => {
      const arrival = this.#network.arrivalUs(this.#there, chunk.length);
      const delay = arrival === undefined ? STALL_US : arrival - this.#network.loop.nowUs;
      this.#network.loop.schedule(delay, this.#sender, () => {
        if (arrival !== undefined) this.#arrive(() => chunks.push(chunk));
        resolve(arrival !== undefined);
      });
    });
  }

  #arrive(action: () => void): void {
    const receiver = this.#receiver;
    if (this.#there.condition.cuts === 0 && receiver?.isAlive === true) receiver.deliver(action);
  }
}

function isAddressee(receiver: Endpoint, sender: Endpoint, message: Message): boolean {
  const { memberId, clusterId } = receiver.handler.identity();
  if (receiver.handler.isRemoved(message.from)) return false;
  return memberId === message.to && clusterId === sender.handler.identity().clusterId;
}

/** The receiving end of a stream: an iterable that waits for what arrives. */
class Chunks implements AsyncIterable<Uint8Array> {
  readonly #queue: Uint8Array[] = [];
  #state: 'open' | 'ended' | 'failed' = 'open';
  #wake = () => {};
  arrived = 0;

  get isOver(): boolean {
    return this.#state !== 'open';
  }

  push(chunk: Uint8Array): void {
    this.arrived++;
    this.#queue.push(chunk);
    this.#wake();
  }

  end(): void {
    if (this.#state === 'open') this.#state = 'ended';
    this.#wake();
  }

  /** Does nothing to a stream that has come to its end. */
  fail(): void {
    if (this.#state === 'open') this.#state = 'failed';
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#queue.shift();
      if (chunk !== undefined) yield chunk;
      else if (this.#state === 'ended') return;
      else if (this.#state === 'failed') throw new Error('the stream broke off');
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
