/** One keep-alive stream under test. */
import type { LeaseKeepAliveRequest, LeaseKeepAliveResponse } from '../../api/index.js';
import type { Stream } from '../../client/index.js';
import { AnswerQueue } from './answer-queue.js';
import { Mismatch } from './findings.js';
import type { Probe } from './probe.js';

export class KeepAliveProbe {
  readonly #probe: Probe;
  readonly #label: string;
  readonly #stream: Stream<LeaseKeepAliveRequest, LeaseKeepAliveResponse>;
  readonly #answers: AnswerQueue<LeaseKeepAliveResponse>;

  constructor(
    probe: Probe,
    label: string,
    stream: Stream<LeaseKeepAliveRequest, LeaseKeepAliveResponse>,
  ) {
    this.#probe = probe;
    this.#label = label;
    this.#stream = stream;
    this.#answers = new AnswerQueue(stream);
  }

  /** Asks for a renewal and does not wait for the answer. */
  send(id: bigint): void {
    this.#probe.note(`${this.#label} {ID: ${id}}`);
    this.#stream.send({ id });
  }

  async next(): Promise<LeaseKeepAliveResponse> {
    const { answerMs } = this.#probe;
    const answer = await this.#probe.inTime(this.#answers.next(answerMs));
    if (answer === undefined) {
      throw new Mismatch(
        'the answer to a keep-alive',
        `an answer within ${answerMs / 1000} s`,
        'none',
      );
    }
    return answer;
  }

  /** Renews once. */
  async renew(id: bigint): Promise<LeaseKeepAliveResponse> {
    this.send(id);
    return await this.next();
  }

  /** Says that no more requests will come; true if the server then ends the stream. */
  async end(): Promise<boolean> {
    this.#probe.note(`${this.#label} half-close`);
    this.#stream.end();
    await this.#probe.inTime(this.#answers.next(this.#probe.answerMs));
    return this.#answers.ended;
  }
}
