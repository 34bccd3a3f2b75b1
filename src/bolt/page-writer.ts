/** Encodes nodes as pages, gathered in chunks for the consumer. */
import { Buffer } from 'node:buffer';
import { writeLatin1 } from '../bytes/index.js';
import { BUCKET_ELEMENT, ELEMENT_BYTES, PAGE_HEADER_BYTES, PageFlag } from './format.js';
import { writePageHeader, writeUint64 } from './format.js';
import type { Node } from './tree-layout.js';

/** A chunk is passed on when it has so many bytes (or, with a big value, more). */
const CHUNK_BYTES = 128 * 1024;

export class PageWriter {
  readonly #pageSize: number;
  readonly #ready: Uint8Array[] = [];
  #chunk!: Buffer;
  #view!: DataView;
  #used = 0;

  constructor(pageSize: number) {
    this.#pageSize = pageSize;
    this.#startChunk(CHUNK_BYTES);
  }

  /** Chunks that are full, each handed out once; the consumer owns them. */
  takeReady(): Uint8Array[] {
    return this.#ready.splice(0);
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  /** What remains, after the last page. */
  takeRest(): Uint8Array[] {
    this.#closeChunk(0);
    return this.takeReady();
  }

  writeRaw(page: Uint8Array): void {
    const start = this.#reserve(page.length);
    this.#chunk.set(page, start);
  }

  /** `buckets`: the leaf is the directory of buckets. */
  writeNode(pageId: number, node: Node, buckets: boolean): void {
    const runBytes = Math.ceil(node.bytes / this.#pageSize) * this.#pageSize;
    const start = this.#reserve(runBytes);
    writePageHeader(this.#view, start, {
      id: pageId,
      flags: node.leaf ? PageFlag.leaf : PageFlag.branch,
      count: node.keys.length,
      overflow: runBytes / this.#pageSize - 1,
    });
    const end = node.leaf
      ? this.#writePairs(start + PAGE_HEADER_BYTES, node, buckets ? BUCKET_ELEMENT : 0)
      : this.#writeChildren(start + PAGE_HEADER_BYTES, node);
    this.#chunk.fill(0, end, start + runBytes);
  }

  #writePairs(start: number, { keys, values }: Node, flags: number): number {
    const view = this.#view;
    let data = start + keys.length * ELEMENT_BYTES;
    for (let i = 0, element = start; i < keys.length; i++, element += ELEMENT_BYTES) {
      const key = keys[i]!;
      const value = values[i]!;
      view.setUint32(element, flags, true);
      view.setUint32(element + 4, data - element, true);
      view.setUint32(element + 8, key.length, true);
      view.setUint32(element + 12, value.length, true);
      data = writeLatin1(this.#chunk, data, key);
      this.#chunk.set(value, data);
      data += value.length;
    }
    return data;
  }

  #writeChildren(start: number, { keys, children }: Node): number {
    const view = this.#view;
    let data = start + keys.length * ELEMENT_BYTES;
    for (let i = 0, element = start; i < keys.length; i++, element += ELEMENT_BYTES) {
      const key = keys[i]!;
      view.setUint32(element, data - element, true);
      view.setUint32(element + 4, key.length, true);
      writeUint64(view, element + 8, children[i]!);
      data = writeLatin1(this.#chunk, data, key);
    }
    return data;
  }

  /** Room for a run of pages; its offset in the chunk. */
  #reserve(bytes: number): number {
    if (this.#used + bytes > this.#chunk.length) this.#closeChunk(Math.max(CHUNK_BYTES, bytes));
    const start = this.#used;
    this.#used += bytes;
    return start;
  }

  #closeChunk(nextBytes: number): void {
    if (this.#used > 0) this.#ready.push(this.#chunk.subarray(0, this.#used));
    this.#startChunk(nextBytes);
  }

  #startChunk(bytes: number): void {
    this.#chunk = Buffer.allocUnsafeSlow(bytes);
    this.#view = new DataView(this.#chunk.buffer, this.#chunk.byteOffset, bytes);
    this.#used = 0;
  }
}
