/** Counts what was asked and answered. */
import type { Answer } from './raw-client.js';

export class Tally {
  steps = 0;
  runs = 0;
  /** Runs cut off because a lease of the shortest time was about to expire. */
  lateRuns = 0;
  undefinedOrders = 0;
  /** HashKV that differed while a compaction was being worked off, and was asked for again. */
  hashesAskedAgain = 0;
  readonly kinds = new Map<string, number>();
  readonly errors = new Map<string, number>();
  readonly explained = new Map<string, number>();

  count(method: string, { error }: Answer): void {
    this.steps++;
    increment(this.kinds, method);
    if (error !== undefined) increment(this.errors, `${error.code} ${sizesOut(error.text)}`);
  }

  countExplained(id: string): void {
    increment(this.explained, id);
  }

  countUndefinedOrder(): void {
    this.undefinedOrders++;
  }
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** One line for all messages that are too large by another number of bytes. */
function sizesOut(text: string): string {
  return text.replace(/\((\d+) vs\./, '(N vs.');
}
