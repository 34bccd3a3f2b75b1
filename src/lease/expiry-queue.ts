/**
 * Ids by the time at which they are due: a binary heap whose places are known, so that an id can be
 * moved or taken out. Times are monotonic milliseconds.
 */
interface Place {
  readonly id: bigint;
  dueMs: number;
  /** Where it stands in the heap: no later than the two at 2i + 1 and 2i + 2. */
  position: number;
}

export class ExpiryQueue {
  #heap: Place[] = [];
  readonly #places = new Map<bigint, Place>();

  get size(): number {
    return this.#heap.length;
  }

  has(id: bigint): boolean {
    return this.#places.has(id);
  }

  /** The id that is due first (of equals, any) and when. */
  first(): { readonly id: bigint; readonly dueMs: number } | undefined {
    return this.#heap[0];
  }

  /** Adds `id`, or moves it to another time. */
  set(id: bigint, dueMs: number): void {
    const known = this.#places.get(id);
    if (known !== undefined) {
      known.dueMs = dueMs;
      this.#settle(known);
      return;
    }
    const place: Place = { id, dueMs, position: this.#heap.length };
    this.#places.set(id, place);
    this.#heap.push(place);
    this.#rise(place);
  }

  /** Takes `id` out, if it is there. */
  delete(id: bigint): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#places.delete(id);
    const last = this.#heap.pop()!;
    if (last === place) return;
    this.#put(last, place.position);
    this.#settle(last);
  }

  clear(): void {
    this.#heap = [];
    this.#places.clear();
  }

  #settle(place: Place): void {
    this.#rise(place);
    this.#sink(place);
  }

  #rise(place: Place): void {
    while (place.position > 0) {
      const parent = this.#heap[(place.position - 1) >> 1]!;
      if (parent.dueMs <= place.dueMs) return;
      this.#swap(parent, place);
    }
  }

  #sink(place: Place): void {
    for (;;) {
      const child = this.#earlierChild(place.position);
      if (child === undefined || child.dueMs >= place.dueMs) return;
      this.#swap(place, child);
    }
  }

  #earlierChild(position: number): Place | undefined {
    const left = this.#heap[2 * position + 1];
    const right = this.#heap[2 * position + 2];
    return right !== undefined && right.dueMs < left!.dueMs ? right : left;
  }

  #swap(a: Place, b: Place): void {
    const { position } = a;
    this.#put(a, b.position);
    this.#put(b, position);
  }

  #put(place: Place, position: number): void {
    this.#heap[position] = place;
    place.position = position;
  }
}
