/** A branch or leaf page in memory: bounds-checked access to its elements. */
import { Buffer } from 'node:buffer';
import { latin1FromBytes } from '../bytes/index.js';
import { corruptPage } from './errors.js';
import { BUCKET_ELEMENT, ELEMENT_BYTES, PAGE_HEADER_BYTES, PageFlag } from './format.js';
import { readPageHeader, readUint64 } from './format.js';

export class Page {
  /** Page number; of an inline bucket, that of the page it lies in. */
  readonly id: number;
  readonly isLeaf: boolean;
  readonly count: number;
  /** The whole run, overflow pages included. */
  readonly #bytes: Buffer;
  readonly #view: DataView;

  /** Throws CORRUPT unless the header is that of a branch or leaf whose elements fit in `run`. */
  constructor(id: number, run: Uint8Array) {
    if (run.length < PAGE_HEADER_BYTES) throw corruptPage(id, 'no room for a page header');
    this.id = id;
    this.#bytes = Buffer.from(run.buffer, run.byteOffset, run.length);
    this.#view = new DataView(run.buffer, run.byteOffset, run.length);
    const { flags, count } = readPageHeader(this.#view, 0);
    if (flags !== PageFlag.leaf && flags !== PageFlag.branch) {
      throw corruptPage(id, `neither branch nor leaf (flags 0x${flags.toString(16)})`);
    }
    this.isLeaf = flags === PageFlag.leaf;
    this.count = count;
    if (PAGE_HEADER_BYTES + count * ELEMENT_BYTES > run.length) {
      throw corruptPage(id, `${count} elements do not fit in ${run.length} bytes`);
    }
    if (count === 0 && !this.isLeaf) throw corruptPage(id, 'branch without elements');
  }

  /** Bytes of the page and its overflow pages. */
  get runBytes(): number {
    return this.#bytes.length;
  }

  key(index: number): string {
    const element = elementOffset(index);
    const field = this.isLeaf ? element + 4 : element;
    const start = element + this.#view.getUint32(field, true);
    const end = start + this.#view.getUint32(field + 4, true);
    this.#checkEnd(index, end);
    return latin1FromBytes(this.#bytes, start, end);
  }

  /** Of a leaf. A view: it keeps the page's memory alive and must not be changed. */
  value(index: number): Uint8Array {
    const element = elementOffset(index);
    const start =
      element + this.#view.getUint32(element + 4, true) + this.#view.getUint32(element + 8, true);
    const length = this.#view.getUint32(element + 12, true);
    this.#checkEnd(index, start + length);
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + start, length);
  }

  /** Of a leaf: is the value a bucket? */
  isBucket(index: number): boolean {
    return (this.#view.getUint32(elementOffset(index), true) & BUCKET_ELEMENT) !== 0;
  }

  /** Of a branch: a page id, of which nothing is checked. */
  child(index: number): number {
    return readUint64(this.#view, elementOffset(index) + 8);
  }

  /** The last element whose key is at or below `key`; -1 when all are above. */
  lastAtOrBelow(key: string): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.key(middle) <= key) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #checkEnd(index: number, end: number): void {
    if (end > this.#bytes.length) throw corruptPage(this.id, `element ${index} ends past the page`);
  }
}

function elementOffset(index: number): number {
  return PAGE_HEADER_BYTES + index * ELEMENT_BYTES;
}
