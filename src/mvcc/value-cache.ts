/** Newest values kept in memory, bounded in bytes; what was cached first goes first. */
import type { KeyIndex } from './key-index.js';

/** What an entry costs beside its characters: the queue's slot, the string's header, a dead index. */
const ENTRY_BYTES = 128;

/**
 * Values live in {@link KeyIndex.value}; this keeps the order in which they came and the sum. Every
 * queue slot is charged, also one whose value has been forgotten since, so the queue is bounded too.
 */
export class ValueCache {
  readonly #limitBytes: number;
  #queue: (KeyIndex | undefined)[] = [];
  #head = 0;
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Charged bytes; never above the limit. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Caches the newest value of a live key, replacing what was cached for it. */
  set(index: KeyIndex, value: string): void {
    if (index.value === undefined) {
      this.#queue.push(index);
      this.#bytes += ENTRY_BYTES;
    } else {
      this.#bytes -= index.value.length;
    }
    index.value = value;
    this.#bytes += value.length;
    while (this.#bytes > this.#limitBytes) this.#evictOldest();
  }

  /** The key has no newest value any more. */
  forget(index: KeyIndex): void {
    if (index.value === undefined) return;
    this.#bytes -= index.value.length;
    index.value = undefined;
  }

  #evictOldest(): void {
    const index = this.#queue[this.#head]!;
    this.#queue[this.#head++] = undefined;
    this.#bytes -= ENTRY_BYTES;
    this.forget(index);
    if (this.#head > 1024 && this.#head > this.#queue.length / 2) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
  }
}
