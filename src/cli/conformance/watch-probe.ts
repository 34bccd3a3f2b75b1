/** One watch stream under test: what is sent is written down, what comes is awaited or ruled out. */
import type { Event, WatchCreateRequest, WatchRequest, WatchResponse } from '../../api/index.js';
import { watchOf, type Stream } from '../../client/index.js';
import { AnswerQueue } from './answer-queue.js';
import { Mismatch } from './findings.js';
import type { Probe } from './probe.js';

/** How long nothing must come for it to count as nothing. */
const QUIET_MS = 300;

export type WatchFields = Partial<WatchCreateRequest>;

export class WatchProbe {
  readonly #probe: Probe;
  readonly #label: string;
  readonly #stream: Stream<WatchRequest, WatchResponse>;
  readonly #answers: AnswerQueue<WatchResponse>;

  constructor(probe: Probe, label: string, stream: Stream<WatchRequest, WatchResponse>) {
    this.#probe = probe;
    this.#label = label;
    this.#stream = stream;
    this.#answers = new AnswerQueue(stream);
  }

  /** Sends a create request and does not wait for the answer. */
  sendCreate(fields: WatchFields): void {
    const request = { ...watchOf(''), ...fields };
    this.#send(`create ${this.#probe.show(request)}`, { kind: 'create', request });
  }

  /** Creates a watch and returns the answer to that. */
  async create(fields: WatchFields): Promise<WatchResponse> {
    this.sendCreate(fields);
    const answer = await this.next('the answer to the create request');
    this.#probe.equal('created in the first answer', answer.created, true);
    return answer;
  }

  /** Creates a watch of one of the check's keys. */
  createFor(name: string, fields: WatchFields = {}): Promise<WatchResponse> {
    return this.create({ key: this.#probe.key(name), ...fields });
  }

  /** Creates a watch of all the check's keys. */
  createForAll(fields: WatchFields = {}): Promise<WatchResponse> {
    const { prefix, prefixEnd } = this.#probe;
    return this.create({ key: prefix, rangeEnd: prefixEnd, ...fields });
  }

  cancel(watchId: bigint): void {
    this.#send(`cancel {watch_id: ${watchId}}`, { kind: 'cancel', watchId });
  }

  requestProgress(): void {
    this.#send('progress {}', { kind: 'progress' });
  }

  sendNothing(): void {
    this.#send('{}', { kind: 'none' });
  }

  /** Says that no more requests will come. */
  halfClose(): void {
    this.#probe.note(`${this.#label} half-close`);
    this.#stream.end();
  }

  /** The next answer, which `what` describes. */
  async next(what: string, withinMs = this.#probe.answerMs): Promise<WatchResponse> {
    const answer = await this.tryNext(withinMs);
    if (answer === undefined) {
      throw new Mismatch(what, `an answer within ${withinMs / 1000} s`, 'none');
    }
    return answer;
  }

  /** The next answer, or undefined if there is none in time. */
  tryNext(withinMs: number): Promise<WatchResponse | undefined> {
    return this.#probe.inTime(this.#answers.next(withinMs));
  }

  /** The next `count` events, of answers that must all belong to `watchId` when it is given. */
  async events(count: number, watchId?: bigint, withinMs = this.#probe.answerMs): Promise<Event[]> {
    const events: Event[] = [];
    while (events.length < count) {
      const answer = await this.next(`event ${events.length + 1} of ${count}`, withinMs);
      if (watchId !== undefined) {
        this.#probe.equal('watch_id of events', answer.watchId, watchId);
      }
      if (answer.canceled) throw new Mismatch('the watch', 'events', this.#probe.show(answer));
      events.push(...answer.events);
    }
    this.#probe.equal('number of events', events.length, count);
    return events;
  }

  /** Nothing may come for a while. */
  async quiet(what: string, ms = QUIET_MS): Promise<void> {
    const answer = await this.tryNext(ms);
    if (answer !== undefined) {
      throw new Mismatch(what, 'no answer', this.#probe.show(answer));
    }
  }

  /** What has come and has not been taken. */
  takeAll(): WatchResponse[] {
    return this.#answers.takeAll();
  }

  close(): void {
    this.#stream.cancel();
  }

  #send(line: string, request: WatchRequest): void {
    this.#probe.signal.throwIfAborted();
    this.#probe.note(`${this.#label} ${line}`);
    this.#stream.send(request);
  }
}
