/** One watch on a stream of its own, from a simulated client to a member. */
import {
  type Event,
  type WatchCreateRequest,
  type WatchRequest,
  type WatchResponse,
  isEtcdError,
} from '../api/index.js';
import type { EventBatch } from '../mvcc/index.js';
import type { StreamReader } from '../server/index.js';
import { type ClientWorld, PLAIN_CALL } from './client-world.js';
import type { WatchRecording } from './history.js';
import type { Link } from './network.js';
import type { Node, Process } from './node.js';
import type { OpenWatch, WatchListener } from './workloads/workload-client.js';

/** Answers under way to the client before the member must wait: a small socket buffer. */
const WINDOW = 8;

const NO_EVENTS: Event[] = [];

export class VirtualWatch implements OpenWatch {
  readonly #world: ClientWorld;
  readonly #client: string;
  readonly #node: Node;
  readonly #recording: WatchRecording;
  readonly #listener: WatchListener;
  readonly #there: Link;
  readonly #back: Link;
  #process: Process | undefined;
  #reader: StreamReader<WatchRequest> | undefined;
  #underWay = 0;
  #isFull = false;
  #drained = () => {};
  #forget = () => {};
  #isOver = false;

  constructor(
    world: ClientWorld,
    client: string,
    node: Node,
    request: WatchCreateRequest,
    recording: WatchRecording,
    listener: WatchListener,
  ) {
    this.#world = world;
    this.#client = client;
    this.#node = node;
    this.#recording = recording;
    this.#listener = listener;
    this.#there = world.network.link(client, node.host);
    this.#back = world.network.link(node.host, client);
    this.#toMember(() => this.#open(request));
  }

  requestProgress(): void {
    this.#toMember(() => this.#tell({ kind: 'progress' }));
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#recording.ended('client');
    this.#toMember(() => this.#close());
  }

  #open(request: WatchCreateRequest): void {
    const process = this.#node.process;
    if (this.#isOver) return;
    if (process?.services === undefined || !process.isServing) return this.#loseConnection();
    this.#process = process;
    this.#forget = process.onDeath(() => this.#loseConnection());
    process.deliver(() => this.#serve(process, request));
  }

  /** In the member's process. */
  #serve(process: Process, request: WatchCreateRequest): void {
    try {
      this.#reader = process.services!.watch.open(
        {
          respond: (head, batch) => this.#respond(head, batch),
          onDrain: (action) => (this.#drained = action),
          end: () => this.#loseConnection(),
        },
        PLAIN_CALL,
      );
    } catch (error) {
      if (!isEtcdError(error)) throw error;
      return this.#loseConnection(); // refused
    }
    this.#tell({ kind: 'create', request });
  }

  /** In the member's process. A promise that it returns is backpressure for a client that sends a lot. */
  #tell(request: WatchRequest): void {
    const { process, reader } = { process: this.#process, reader: this.#reader };
    if (process === undefined || reader === undefined) return;
    process.deliver(() => void reader.message(request));
  }

  #close(): void {
    this.#forget();
    const { process, reader } = { process: this.#process, reader: this.#reader };
    this.#reader = undefined;
    if (process !== undefined && reader !== undefined) process.deliver(() => reader.cancel());
  }

  #respond(head: WatchResponse, batch?: EventBatch): boolean {
    const response = { ...head, events: batch === undefined ? NO_EVENTS : [...batch.events] };
    this.#underWay++;
    const isCarried = this.#world.network.carry(this.#back, 200, () => this.#arrive(response));
    if (!isCarried) this.#breakOff();
    if (this.#underWay >= WINDOW) this.#isFull = true; // and stays so until it has drained
    return !this.#isFull;
  }

  #arrive(response: WatchResponse): void {
    if (this.#back.condition.cuts > 0) return this.#breakOff();
    this.#underWay--;
    if (!this.#isOver) {
      this.#recording.arrived(response);
      this.#listener.response(response);
      if (response.canceled) this.#end('canceled');
    }
    if (this.#isFull && this.#underWay <= WINDOW / 2) this.#makeRoom();
  }

  #makeRoom(): void {
    this.#isFull = false;
    this.#process?.deliver(() => this.#drained());
  }

  /** A stream has no holes: what cannot be delivered ends it, at both sides. */
  #breakOff(): void {
    this.#world.loop.schedule(0, undefined, () => {
      this.#close();
      this.#end('lost');
    });
  }

  #loseConnection(): void {
    const carried = this.#world.network.carry(this.#back, 100, () => this.#end('lost'));
    if (!carried) this.#breakOff();
  }

  #end(why: 'lost' | 'canceled'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#recording.ended(why);
    this.#world.trace.record('client', this.#client, 'watch on', this.#node.host, why);
    if (why === 'canceled') this.#close();
    this.#listener.ended();
  }

  #toMember(action: () => void): void {
    const carried = this.#world.network.carry(this.#there, 200, () => {
      if (this.#there.condition.cuts > 0) this.#breakOff();
      else action();
    });
    if (!carried) this.#breakOff();
  }
}
