/**
 * One of the two servers under a list of writes and watch requests: sends them one after the other, and
 * waits after each for what must have come, so that the answers do not depend on who was quicker.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BURST, STREAMS, WATCH } from '../arbitraries/watch.js';
import type { Side } from './pair.js';
import type { RawStream } from './raw-client.js';
import type { Step } from './step.js';
import { resolve, type Landmarks } from './symbolic.js';
import type { Plain } from './wire.js';

/** etcd looks for watchers that are behind every 100 ms. */
const CATCHES_UP_MS = 160;
const QUIET_MS = 12;
const PROGRESS_MS = 40;
const ANSWER_MS = 5000;
const BURST_PUTS = 50;
const BURST_VALUE = 'burst'.repeat(2400);

/** All that one stream was answered. */
export class Tape {
  readonly messages: Plain[] = [];
  /** Ids of watches that were created and not cancelled by the client. */
  readonly taken = new Set<string>();
  readonly #stream: RawStream;

  constructor(stream: RawStream) {
    this.#stream = stream;
  }

  write(request: Plain): void {
    this.#stream.write(request);
  }

  /** Takes what has come; how much. */
  poll(): number {
    const answers = this.#stream.takeAll();
    for (const { message, error } of answers) {
      this.messages.push(message ?? { ended: error });
      if (message?.created === true && message.canceled !== true) this.taken.add(idOf(message));
    }
    return answers.length;
  }

  /** Waits for an answer such as `wanted` among those that come from now on, for so long. */
  async until(wanted: (message: Plain) => boolean, timeoutMs: number): Promise<void> {
    const from = this.messages.length;
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      this.poll();
      if (this.messages.slice(from).some(wanted) || performance.now() > deadline) return;
      await sleep(1);
    }
  }

  close(): void {
    this.#stream.cancel();
  }
}

export class WatchSide {
  readonly tapes: readonly Tape[];
  /** Revisions at which the history was compacted. */
  readonly compactions = new Set<string>();
  readonly #side: Side;
  readonly #landmarks: Landmarks;
  #behindUntil = 0;

  /** `landmarks` are those of the run before. */
  constructor(side: Side, landmarks: Landmarks) {
    this.#side = side;
    this.#landmarks = landmarks;
    landmarks.begin = landmarks.now;
    this.tapes = Array.from({ length: STREAMS }, () => new Tape(side.client.stream(WATCH)));
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.#send(step);
    this.#behindUntil = performance.now() + CATCHES_UP_MS;
    await this.#settle();
    for (const tape of this.tapes) tape.close();
  }

  async #send({ method, request: symbolic }: Step): Promise<void> {
    const request = resolve(symbolic, this.#landmarks);
    if (method === WATCH) return this.#toStream(request);
    await this.#settle();
    if (method !== BURST) return this.#write(method, request);
    for (let i = 0; i < BURST_PUTS; i++) {
      await this.#write('KV/Put', { key: 'a', value: BURST_VALUE });
    }
  }

  async #write(method: string, request: Plain): Promise<void> {
    const { message } = await this.#side.client.call(method, request);
    const revision = (message?.header as Plain | undefined)?.revision;
    if (revision !== undefined) this.#landmarks.now = Number(revision);
    if (method !== 'KV/Compact' || message === undefined) return;
    this.#landmarks.compacted = Number(request.revision);
    this.compactions.add(String(request.revision));
  }

  async #toStream({ stream, ...request }: Plain): Promise<void> {
    const tape = this.tapes[stream as number]!;
    if ('create_request' in request) return this.#create(tape, request);
    await this.#settle();
    tape.write(request);
    if ('progress_request' in request) {
      return tape.until((message) => idOf(message) === '-1', PROGRESS_MS);
    }
    const watchId = idOf(request.cancel_request as Plain);
    if (!tape.taken.delete(watchId)) return;
    await tape.until((message) => message.canceled === true, ANSWER_MS);
  }

  async #create(tape: Tape, request: Plain): Promise<void> {
    // What has happened and was not told yet must not depend on when the watch begins.
    if (this.#behindUntil === 0) await this.#settle();
    tape.write(request);
    await tape.until((message) => message.created === true, ANSWER_MS);
    this.#behindUntil = performance.now() + CATCHES_UP_MS;
  }

  /** Waits until every watch must have caught up, and nothing more comes. */
  async #settle(): Promise<void> {
    const leftMs = this.#behindUntil - performance.now();
    this.#behindUntil = 0;
    if (leftMs > 0) await sleep(leftMs);
    do await sleep(QUIET_MS);
    while (this.tapes.map((tape) => tape.poll()).some((count) => count > 0));
  }
}

/** Watch ids are there only when they are not 0. */
export function idOf(message: Plain): string {
  return (message.watch_id as string | undefined) ?? '0';
}
