/** How far the cluster was known to be at each moment: the real-time half of linearizability. */
import type { History, Instant, Operation } from '../history.js';

/** Something a client saw, and the revision it showed. */
interface Sight {
  readonly sequence: number;
  readonly revision: number;
}

/**
 * The highest revision that anybody had seen, by moment. Whatever a client has seen was committed, so
 * an answer to a question asked later may not be older.
 */
export class ObservedFloor {
  /** Ascending in both members. */
  readonly #rises: Sight[] = [];

  constructor(history: History) {
    let highest = 0;
    for (const sight of sightsOf(history)) {
      if (sight.revision <= highest) continue;
      highest = sight.revision;
      this.#rises.push(sight);
    }
  }

  /** The highest revision seen before `at`; 0 for none. */
  before(at: Instant): number {
    let low = 0;
    let high = this.#rises.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#rises[middle]!.sequence < at.sequence) low = middle + 1;
      else high = middle;
    }
    return this.#rises[low - 1]?.revision ?? 0;
  }
}

function sightsOf({ operations, watches }: History): Sight[] {
  const sights: Sight[] = [];
  for (const operation of operations) {
    const revision = shownRevision(operation);
    if (revision === undefined || operation.completed === undefined) continue;
    sights.push({ sequence: operation.completed.sequence, revision });
  }
  for (const { arrivals } of watches) {
    for (const { at, response } of arrivals) {
      const revision = response.header?.revision ?? 0;
      sights.push({ sequence: at.sequence, revision });
    }
  }
  return sights.sort((a, b) => a.sequence - b.sequence);
}

/** The revision in the answer's header; undefined without an answer. */
export function shownRevision({ outcome }: Operation): number | undefined {
  return outcome.kind === 'ok' ? outcome.response.header?.revision : undefined;
}
