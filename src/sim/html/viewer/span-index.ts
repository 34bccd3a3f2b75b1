/** Finds what is within a stretch of time among many things that last. */
export interface Span {
  readonly fromUs: number;
  readonly untilUs: number;
}

export class SpanIndex<Item extends Span> {
  /** By beginning. */
  readonly items: readonly Item[];
  /** The latest end among the items up to each place. */
  readonly #latestEnds: number[] = [];

  constructor(items: readonly Item[]) {
    this.items = items.toSorted((a, b) => a.fromUs - b.fromUs);
    let latest = -Infinity;
    for (const { untilUs } of this.items) {
      latest = Math.max(latest, untilUs);
      this.#latestEnds.push(latest);
    }
  }

  /** Everything that is there at some moment from `fromUs` to `untilUs`, by beginning. */
  within(fromUs: number, untilUs: number): Item[] {
    const found: Item[] = [];
    for (let place = this.#firstReaching(fromUs); place < this.items.length; place++) {
      const item = this.items[place]!;
      if (item.fromUs > untilUs) break;
      if (item.untilUs >= fromUs) found.push(item);
    }
    return found;
  }

  #firstReaching(fromUs: number): number {
    let low = 0;
    let high = this.#latestEnds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#latestEnds[middle]! < fromUs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
