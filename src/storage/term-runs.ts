/**
 * Terms of all entries in the log. They never fall, so a few runs tell them all:
 * start { index: 4, term: 1 }, then { from: 5, term: 1 }, { from: 9, term: 3 }, last index 12.
 */
import assert from 'node:assert/strict';
import type { LogStart } from './log-state.js';

interface Run {
  readonly from: number;
  readonly term: number;
}

export class TermRuns {
  #start: LogStart;
  #runs: Run[] = [];
  #lastIndex: number;

  constructor(start: LogStart) {
    this.#start = start;
    this.#lastIndex = start.index;
  }

  get start(): LogStart {
    return this.#start;
  }

  get lastIndex(): number {
    return this.#lastIndex;
  }

  /** Term of the last entry, or of the start when there is none. */
  get lastTerm(): number {
    return this.#runs.at(-1)?.term ?? this.#start.term;
  }

  /** `index` must follow the last one, `term` not be below the last one's. */
  append(index: number, term: number): void {
    if (index !== this.#lastIndex + 1 || term < this.lastTerm) {
      assert.fail(
        `entry ${index} of term ${term} cannot follow ${this.#lastIndex} of term ${this.lastTerm}`,
      );
    }
    if (term > this.lastTerm || this.#runs.length === 0) this.#runs.push({ from: index, term });
    this.#lastIndex = index;
  }

  /** Forgets `index` and all behind it. */
  truncateFrom(index: number): void {
    if (index <= this.#start.index || index > this.#lastIndex + 1) {
      assert.fail(
        `no entry at ${index}: the log holds ${this.#start.index + 1} to ${this.#lastIndex}`,
      );
    }
    while (this.#runs.length > 0 && this.#runs.at(-1)!.from >= index) this.#runs.pop();
    this.#lastIndex = index - 1;
  }

  /** The term at `index`, which may be the start's; undefined outside. */
  term(index: number): number | undefined {
    if (index < this.#start.index || index > this.#lastIndex) return undefined;
    if (index === this.#start.index) return this.#start.term;
    return this.#runs.findLast((run) => run.from <= index)!.term;
  }

  /** Moves the start forward to `index`, an index of the log. */
  compact(index: number): void {
    const term = this.term(index);
    if (term === undefined) {
      assert.fail(`cannot compact at ${index}: the log ends at ${this.#lastIndex}`);
    }
    const next = this.#runs.findLast((run) => run.from <= index + 1);
    this.#runs = this.#runs.filter((run) => run.from > index);
    if (next !== undefined && next.from <= index && index < this.#lastIndex) {
      this.#runs.unshift({ from: index + 1, term: next.term });
    }
    this.#start = { index, term };
  }

  /** An empty log behind `start`. */
  reset(start: LogStart): void {
    this.#start = start;
    this.#runs = [];
    this.#lastIndex = start.index;
  }
}
