import type { Spool } from './spool.js';

/** A spool in memory. */
export class MemorySpool implements Spool {
  #bytes = Buffer.alloc(1 << 12);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  async append(bytes: Uint8Array): Promise<void> {
    const size = this.#size + bytes.length;
    if (size > this.#bytes.length) this.#grow(size);
    this.#bytes.set(bytes, this.#size);
    this.#size = size;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    return Uint8Array.from(this.#bytes.subarray(offset, Math.min(offset + length, this.#size)));
  }

  async close(): Promise<void> {
    this.#bytes = Buffer.alloc(0);
    this.#size = 0;
  }

  #grow(size: number): void {
    const grown = Buffer.alloc(Math.max(size, 2 * this.#bytes.length));
    grown.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = grown;
  }
}
