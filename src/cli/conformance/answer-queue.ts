/** Answers of a stream as they come, for a reader that wants them one at a time or wants none to come. */
import type { Answers } from '../../client/index.js';

export class AnswerQueue<Answer> {
  readonly #answers: Answer[] = [];
  #failure: unknown;
  #ended = false;
  #wake = (): void => {};

  constructor(stream: Answers<Answer>) {
    void this.#read(stream);
  }

  /** The next answer; undefined if none comes within `ms`, or none will. Throws what ended the stream. */
  async next(ms: number): Promise<Answer | undefined> {
    const untilMs = performance.now() + ms;
    while (this.#answers.length === 0) {
      if (this.#failure !== undefined) throw this.#failure;
      const leftMs = untilMs - performance.now();
      if (this.#ended || leftMs <= 0) return undefined;
      await this.#change(leftMs);
    }
    return this.#answers.shift();
  }

  /** Everything that has come and has not been taken. */
  takeAll(): Answer[] {
    return this.#answers.splice(0);
  }

  get ended(): boolean {
    return this.#ended;
  }

  async #read(stream: Answers<Answer>): Promise<void> {
    try {
      for await (const answer of stream) {
        this.#answers.push(answer);
        this.#wake();
      }
    } catch (error) {
      this.#failure = error;
    }
    this.#ended = true;
    this.#wake();
  }

  async #change(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
