/**
 * Builds bbolt files page by page, right or wrong, without the writer: what each test wants to be
 * there is there.
 */
import { Buffer } from 'node:buffer';
import { encodeMetaPage } from '../../../src/bolt/format.js';

export interface RawElement {
  key: string;
  value?: Uint8Array;
  /** Of a leaf: 1 is a bucket. */
  flags?: number;
}

export interface RawFile {
  pageSize?: number;
  root: number;
  freelist?: number;
  /** Pages from 2 on; each may be several pages long. */
  pages: Uint8Array[];
}

const PAGE_SIZE = 1024;

export function rawFile({ pageSize = PAGE_SIZE, root, freelist, pages }: RawFile): Uint8Array {
  const body = Buffer.concat(pages);
  const highWater = 2 + body.length / pageSize;
  const meta = { pageSize, root, freelist, highWater };
  return Buffer.concat([
    encodeMetaPage(0, { ...meta, txid: 6n }),
    encodeMetaPage(1, { ...meta, txid: 5n }),
    body,
  ]);
}

export interface PageOptions {
  pageSize?: number;
  flags?: number;
  overflow?: number;
  /** In the header, instead of the number of elements. */
  count?: number;
}

export function leafPage(id: number, elements: RawElement[], options: PageOptions = {}) {
  const table = Buffer.alloc(elements.length * 16);
  let at = table.length;
  elements.forEach(({ key, value = new Uint8Array(0), flags = 0 }, i) => {
    table.writeUInt32LE(flags, i * 16);
    table.writeUInt32LE(at - i * 16, i * 16 + 4);
    table.writeUInt32LE(key.length, i * 16 + 8);
    table.writeUInt32LE(value.length, i * 16 + 12);
    at += key.length + value.length;
  });
  const data = elements.flatMap(({ key, value = new Uint8Array(0) }) => [latin1(key), value]);
  return page(id, 2, elements.length, Buffer.concat([table, ...data]), options);
}

export function branchPage(id: number, children: [string, number][], options: PageOptions = {}) {
  const table = Buffer.alloc(children.length * 16);
  let at = table.length;
  children.forEach(([key, child], i) => {
    table.writeUInt32LE(at - i * 16, i * 16);
    table.writeUInt32LE(key.length, i * 16 + 4);
    table.writeBigUInt64LE(BigInt(child), i * 16 + 8);
    at += key.length;
  });
  const keys = children.map(([key]) => latin1(key));
  return page(id, 1, children.length, Buffer.concat([table, ...keys]), options);
}

export function freelistPage(id: number, ids: number[], options: PageOptions = {}) {
  const long = ids.length >= 0xffff;
  const words = long ? [ids.length, ...ids] : ids;
  const body = Buffer.alloc(words.length * 8);
  words.forEach((word, i) => body.writeBigUInt64LE(BigInt(word), i * 8));
  return page(id, 0x10, long ? 0xffff : ids.length, body, options);
}

/** A directory entry: the bucket's root page, or 0 and the inline page's bytes. */
export function bucket(
  name: string,
  root: number,
  inline: Uint8Array = new Uint8Array(0),
): RawElement {
  const header = Buffer.alloc(16);
  header.writeBigUInt64LE(BigInt(root));
  return { key: name, value: Buffer.concat([header, inline]), flags: 1 };
}

/** A leaf without padding, as it stands in an inline bucket. */
export function inlineLeaf(elements: RawElement[], options: PageOptions = {}): Uint8Array {
  const size = elements.reduce((sum, e) => sum + 16 + e.key.length + (e.value?.length ?? 0), 16);
  return leafPage(0, elements, options).subarray(0, size);
}

function page(id: number, flags: number, count: number, body: Uint8Array, options: PageOptions) {
  const pageSize = options.pageSize ?? PAGE_SIZE;
  const pages = Math.ceil((16 + body.length) / pageSize);
  const bytes = Buffer.alloc(pages * pageSize);
  bytes.writeBigUInt64LE(BigInt(id));
  bytes.writeUInt16LE(options.flags ?? flags, 8);
  bytes.writeUInt16LE(options.count ?? count, 10);
  bytes.writeUInt32LE(options.overflow ?? pages - 1, 12);
  bytes.set(body, 16);
  return bytes;
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
