/** HPACK's dynamic table (RFC 7541, sections 2.3.2 and 4). */
import type { Field } from './static-table.js';

/** What an entry counts for beyond its characters. */
export const ENTRY_BYTES = 32;

export function entryBytes(name: string, value: string): number {
  return name.length + value.length + ENTRY_BYTES;
}

/** The newest entry is at 0. Grows and shrinks as both sides of a connection agree. */
export class DynamicTable {
  /** A ring: the newest is at `#newest`, older ones at higher places. Its length is a power of two. */
  #ring: (Field | undefined)[] = empty(16);
  #newest = 0;
  #count = 0;
  #bytes = 0;
  #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  at(place: number): Field | undefined {
    if (place >= this.#count) return undefined;
    return this.#ring[(this.#newest + place) & (this.#ring.length - 1)];
  }

  /** One that is larger than the table empties it (section 4.4). */
  add(field: Field): void {
    const bytes = entryBytes(field.name, field.value);
    this.#evictDownTo(this.#maxBytes - bytes);
    if (bytes > this.#maxBytes) return;
    if (this.#count === this.#ring.length) this.#grow();
    this.#newest = (this.#newest - 1) & (this.#ring.length - 1);
    this.#ring[this.#newest] = field;
    this.#count++;
    this.#bytes += bytes;
  }

  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#evictDownTo(maxBytes);
  }

  #evictDownTo(bytes: number): void {
    while (this.#count > 0 && this.#bytes > bytes) {
      this.#count--;
      const oldest = (this.#newest + this.#count) & (this.#ring.length - 1);
      const { name, value } = this.#ring[oldest]!;
      this.#bytes -= entryBytes(name, value);
      this.#ring[oldest] = undefined;
    }
  }

  #grow(): void {
    const fields = Array.from({ length: this.#count }, (_, place) => this.at(place));
    this.#ring = [...fields, ...empty(fields.length)];
    this.#newest = 0;
  }
}

function empty(length: number): undefined[] {
  return Array.from({ length }, () => undefined);
}
