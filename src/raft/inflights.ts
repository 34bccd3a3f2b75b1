/**
 * The appends on their way to one follower: a window bounded in messages and in bytes. Each message is
 * remembered by the index of its last entry; an acknowledgement frees it and all before it.
 */
export class Inflights {
  readonly #maxMessages: number;
  readonly #maxBytes: number;
  /** Ring of last indexes, ascending from `#start`; grows to at most `#maxMessages`. */
  #indexes: number[] = [];
  #sizes: number[] = [];
  #start = 0;
  #count = 0;
  #bytes = 0;

  /** `maxBytes` 0 is no limit in bytes. A message that overshoots the limit still goes alone. */
  constructor(maxMessages: number, maxBytes: number) {
    this.#maxMessages = maxMessages;
    this.#maxBytes = maxBytes;
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  isFull(): boolean {
    if (this.#count >= this.#maxMessages) return true;
    return this.#maxBytes > 0 && this.#bytes >= this.#maxBytes;
  }

  /** Must not be called when full; `lastIndex` must not descend. */
  add(lastIndex: number, bytes: number): void {
    if (this.#count === this.#indexes.length) this.#grow();
    const at = (this.#start + this.#count) % this.#indexes.length;
    this.#indexes[at] = lastIndex;
    this.#sizes[at] = bytes;
    this.#count++;
    this.#bytes += bytes;
  }

  /** Frees every message whose last entry is at or below `index`. */
  freeTo(index: number): void {
    while (this.#count > 0 && this.#indexes[this.#start]! <= index) {
      this.#bytes -= this.#sizes[this.#start]!;
      this.#start = (this.#start + 1) % this.#indexes.length;
      this.#count--;
    }
  }

  clear(): void {
    this.#start = 0;
    this.#count = 0;
    this.#bytes = 0;
  }

  /** The ring is full but the window is not: about doubles it. */
  #grow(): void {
    const order = (values: number[]): number[] => [
      ...values.slice(this.#start),
      ...values.slice(0, this.#start),
    ];
    const room = Math.max(4, Math.min(this.#indexes.length, this.#maxMessages));
    this.#indexes = [...order(this.#indexes), ...Array<number>(room).fill(0)];
    this.#sizes = [...order(this.#sizes), ...Array<number>(room).fill(0)];
    this.#start = 0;
  }
}
