/**
 * Writes header blocks (RFC 7541): HPACK's encoder. Fields that come again and again go into the table
 * once and are one octet from then on; others are spelt out. What is in the table never leaves it: a
 * field that no longer fits is spelt out, too.
 */
import { entryBytes } from './dynamic-table.js';
import { DEFAULT_TABLE_BYTES } from './frames.js';
import { staticIndexOfField, staticIndexOfName, staticTable } from './static-table.js';

/** A field that is worth a place in the table; each is made once and used by all connections. */
export class CommonField {
  static #made = 0;
  readonly number = CommonField.#made++;
  readonly staticIndex: number;

  constructor(
    readonly name: string,
    readonly value: string,
  ) {
    this.staticIndex = staticIndexOfField(name, value);
  }
}

export type OutgoingField = CommonField | readonly [name: string, value: string];

/** No integer that we write takes more octets. */
const INTEGER_OCTETS = 6;

export class HeaderEncoder {
  /** Holds the block that was written last. */
  block: Buffer = Buffer.allocUnsafeSlow(512);
  #at = 0;
  /** By a common field's number: how many entries the table had once it was in; 0: it is not. */
  #places: number[] = [];
  #count = 0;
  #bytes = 0;
  #maxBytes = DEFAULT_TABLE_BYTES;
  /** The other side is yet to be told of another size. */
  #resized = false;

  /** The other side keeps a table of `bytes` from now on, and kept one of `smallest` in between. */
  resize(smallest: number, bytes: number): void {
    if (Math.min(smallest, bytes) >= this.#maxBytes) return;
    this.#places = [];
    this.#count = this.#bytes = 0;
    this.#maxBytes = Math.min(bytes, DEFAULT_TABLE_BYTES);
    this.#resized = true;
  }

  /** Writes the next block into `block`; returns its length. */
  encode(fields: readonly OutgoingField[]): number {
    this.#at = 0;
    if (this.#resized) this.#sayResized();
    for (const field of fields) {
      if (field instanceof CommonField) this.#common(field);
      else this.#literal(0, field[0], field[1]);
    }
    return this.#at;
  }

  /** Emptied first: that is the smallest size there was, whatever it was. */
  #sayResized(): void {
    this.#resized = false;
    this.#integer(0x20, 5, 0);
    this.#integer(0x20, 5, this.#maxBytes);
  }

  #common(field: CommonField): void {
    if (field.staticIndex > 0) return this.#integer(0x80, 7, field.staticIndex);
    const place = this.#places[field.number] ?? 0;
    if (place > 0) return this.#integer(0x80, 7, staticTable.length + 1 + this.#count - place);
    const bytes = entryBytes(field.name, field.value);
    const fits = this.#bytes + bytes <= this.#maxBytes;
    this.#literal(fits ? 0x40 : 0, field.name, field.value);
    if (!fits) return;
    this.#bytes += bytes;
    this.#places[field.number] = ++this.#count;
  }

  #literal(pattern: number, name: string, value: string): void {
    const index = staticIndexOfName(name);
    this.#integer(pattern, pattern === 0 ? 4 : 6, index);
    if (index === 0) this.#string(name);
    this.#string(value);
  }

  #string(text: string): void {
    this.#integer(0, 7, text.length);
    this.#reserve(text.length);
    this.#at += this.block.write(text, this.#at, 'latin1');
  }

  #integer(pattern: number, prefixBits: number, value: number): void {
    this.#reserve(INTEGER_OCTETS);
    const { block } = this;
    const limit = (1 << prefixBits) - 1;
    if (value < limit) {
      block[this.#at++] = pattern | value;
      return;
    }
    block[this.#at++] = pattern | limit;
    let rest = value - limit;
    for (; rest >= 0x80; rest >>>= 7) block[this.#at++] = (rest & 0x7f) | 0x80;
    block[this.#at++] = rest;
  }

  #reserve(count: number): void {
    if (this.#at + count > this.block.length) {
      this.block = Buffer.concat([this.block], (this.#at + count) * 2);
    }
  }
}
