/** Reads header blocks (RFC 7541): HPACK's decoder, with the limits that keep a small block small. */
import { DynamicTable, ENTRY_BYTES } from './dynamic-table.js';
import { ConnectionError, DEFAULT_TABLE_BYTES, ErrorCode } from './frames.js';
import { huffmanDecode } from './huffman.js';
import { type Field, staticTable } from './static-table.js';

/** Names and values in turn, in the order of the block. */
export type FieldList = readonly string[];

/** An integer takes at most so many octets after its first: enough for what fits into a frame. */
const MAX_MORE_OCTETS = 4;

/** A block longer than this is not worth remembering. */
const MOST_REMEMBERED_BYTES = 512;

export class HeaderDecoder {
  readonly #table = new DynamicTable(DEFAULT_TABLE_BYTES);
  readonly #maxListBytes: number;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;
  #listBytes = 0;

  /** `maxListBytes` bounds names and values of one block together, 32 bytes more for each field. */
  constructor(maxListBytes: number) {
    this.#maxListBytes = maxListBytes;
  }

  /** Changes whenever the same block may mean something else from now on. */
  #version = 0;
  /** The last block and what it said: calls of one kind come in a row, and all say the same. */
  readonly #lastBlock = Buffer.allocUnsafe(MOST_REMEMBERED_BYTES);
  #lastBytes = -1;
  #lastVersion = -1;
  #lastList: FieldList | undefined;

  /**
   * The fields of the block bytes[start, end), or undefined when they are more than `maxListBytes`. The
   * same list comes again where the same was said. Throws {@link ConnectionError} when the block is
   * malformed.
   */
  decode(bytes: Buffer, start: number, end: number): FieldList | undefined {
    if (this.#isLast(bytes, start, end)) return this.#lastList;
    const version = this.#version;
    const list = this.#decode(bytes, start, end);
    if (version === this.#version) this.#remember(bytes, start, end, list);
    return list;
  }

  #isLast(bytes: Buffer, start: number, end: number): boolean {
    const length = this.#lastBytes;
    if (end - start !== length || this.#version !== this.#lastVersion) return false;
    return bytes.compare(this.#lastBlock, 0, length, start, end) === 0;
  }

  #remember(bytes: Buffer, start: number, end: number, list: FieldList | undefined): void {
    if (end - start > MOST_REMEMBERED_BYTES) return;
    bytes.copy(this.#lastBlock, 0, start, end);
    this.#lastBytes = end - start;
    this.#lastVersion = this.#version;
    this.#lastList = list;
  }

  #decode(bytes: Buffer, start: number, end: number): FieldList | undefined {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#listBytes = 0;
    const list: string[] = [];
    this.#tableSizeUpdates();
    while (this.#at < end) this.#field(list);
    return this.#listBytes <= this.#maxListBytes ? list : undefined;
  }

  /** They come first in a block (section 4.2). */
  #tableSizeUpdates(): void {
    while (this.#at < this.#end && (this.#bytes[this.#at]! & 0xe0) === 0x20) {
      const bytes = this.#integer(5);
      if (bytes > DEFAULT_TABLE_BYTES) malformed(`a table of ${bytes} bytes`);
      this.#table.resize(bytes);
      this.#version++;
    }
  }

  #field(list: string[]): void {
    const first = this.#bytes[this.#at]!;
    if (first >= 0x80) {
      const { name, value } = this.#entry(this.#integer(7));
      this.#put(list, name, value);
    } else if (first >= 0x40) {
      const field = this.#literal(6);
      this.#put(list, field.name, field.value);
      this.#table.add(field);
      this.#version++;
    } else if (first >= 0x20) {
      malformed('a change of the table behind a field');
    } else {
      const { name, value } = this.#literal(4);
      this.#put(list, name, value);
    }
  }

  /** What is too much is decoded, for the table's sake, but not kept. */
  #put(list: string[], name: string, value: string): void {
    this.#listBytes += name.length + value.length + ENTRY_BYTES;
    if (this.#listBytes <= this.#maxListBytes) list.push(name, value);
  }

  #entry(index: number): Field {
    const field =
      index <= staticTable.length
        ? staticTable[index - 1]
        : this.#table.at(index - staticTable.length - 1);
    return field ?? malformed(`index ${index}`);
  }

  #literal(prefixBits: number): Field {
    const index = this.#integer(prefixBits);
    const name = index === 0 ? this.#string() : this.#entry(index).name;
    return { name, value: this.#string() };
  }

  /** Section 5.2. */
  #string(): string {
    const huffman = this.#at < this.#end && this.#bytes[this.#at]! >= 0x80;
    const length = this.#integer(7);
    const start = this.#at;
    if (length > this.#end - start) malformed('a string that its block cuts off');
    this.#at += length;
    if (!huffman) return this.#bytes.toString('latin1', start, this.#at);
    return huffmanDecode(this.#bytes, start, this.#at) ?? malformed('a Huffman code');
  }

  /** Section 5.1. */
  #integer(prefixBits: number): number {
    const limit = (1 << prefixBits) - 1;
    let value = this.#octet() & limit;
    if (value < limit) return value;
    for (let i = 0; i < MAX_MORE_OCTETS; i++) {
      const octet = this.#octet();
      value += (octet & 0x7f) * 2 ** (7 * i);
      if (octet < 0x80) return value;
    }
    return malformed('an integer that is too long');
  }

  #octet(): number {
    if (this.#at >= this.#end) malformed('a field that its block cuts off');
    return this.#bytes[this.#at++]!;
  }
}

function malformed(what: string): never {
  throw new ConnectionError(ErrorCode.compressionError, `header block with ${what}`);
}
