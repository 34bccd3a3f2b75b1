/**
 * The bbolt file format: numbers and the fixed-size structures. All integers are little-endian (bbolt
 * writes its machine's order; etcd runs on little-endian machines).
 *
 * A file is an array of pages. Page n starts at n * pageSize with a 16-byte header {u64 id, u16 flags,
 * u16 count, u32 overflow}; a page that needs more room runs on over the `overflow` pages after it,
 * which have no header. Pages 0 and 1 hold a meta each. The elements of a branch or leaf are 16 bytes
 * each, right after the header; each points to its key (and value) relative to its own place.
 */

export const DEFAULT_PAGE_SIZE = 4096;
export const PAGE_HEADER_BYTES = 16;
export const ELEMENT_BYTES = 16;
/** Value of a root entry: {u64 root page, u64 sequence}, then the page itself when root is 0. */
export const BUCKET_HEADER_BYTES = 16;
export const META_BYTES = 64;
/** A page holds fewer elements than this: 0xFFFF in a freelist's count has another meaning. */
export const COUNT_LIMIT = 0xffff;
export const MAX_KEY_BYTES = 32768;
export const MAX_VALUE_BYTES = 2 ** 31 - 2;

export const PageFlag = { branch: 0x01, leaf: 0x02, meta: 0x04, freelist: 0x10 } as const;
/** Flag of a leaf element whose value is a bucket. */
export const BUCKET_ELEMENT = 0x01;

export interface Meta {
  /** Bytes. */
  pageSize: number;
  /** Root page of the directory of buckets. */
  root: number;
  /** Page of the list of free pages; undefined when it is not stored (as etcd runs bbolt on Linux). */
  freelist: number | undefined;
  /** First page id never used. */
  highWater: number;
  txid: bigint;
}

const MAGIC = 0xed0cdaed;
const VERSION = 2;
const NO_FREELIST = 0xffff_ffff_ffff_ffffn;
const CHECKED_BYTES = 56;
const MIN_PAGE_SIZE = 512;
const MAX_PAGE_SIZE = 1024 << 14;

/** A meta page, header included: `pageSize` bytes. */
export function encodeMetaPage(pageId: 0 | 1, meta: Meta): Uint8Array {
  const page = new Uint8Array(meta.pageSize);
  const view = new DataView(page.buffer);
  writePageHeader(view, 0, { id: pageId, flags: PageFlag.meta, count: 0, overflow: 0 });
  encodeMeta(new DataView(page.buffer, PAGE_HEADER_BYTES, META_BYTES), meta);
  return page;
}

function encodeMeta(view: DataView, meta: Meta): void {
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, VERSION, true);
  view.setUint32(8, meta.pageSize, true);
  view.setBigUint64(16, BigInt(meta.root), true);
  view.setBigUint64(32, meta.freelist === undefined ? NO_FREELIST : BigInt(meta.freelist), true);
  view.setBigUint64(40, BigInt(meta.highWater), true);
  view.setBigUint64(48, meta.txid, true);
  view.setBigUint64(CHECKED_BYTES, metaChecksum(view), true);
}

/** The meta in these 64 bytes, or in a few words why they are none. */
export function decodeMeta(bytes: Uint8Array): Meta | string {
  if (bytes.length < META_BYTES) return 'too short';
  const view = new DataView(bytes.buffer, bytes.byteOffset, META_BYTES);
  if (view.getUint32(0, true) !== MAGIC) return 'bad magic';
  if (view.getUint32(4, true) !== VERSION) return `version ${view.getUint32(4, true)}`;
  if (view.getBigUint64(CHECKED_BYTES, true) !== metaChecksum(view)) return 'bad checksum';
  const pageSize = view.getUint32(8, true);
  if (pageSize < MIN_PAGE_SIZE || pageSize > MAX_PAGE_SIZE) return `page size ${pageSize}`;
  const freelist = view.getBigUint64(32, true);
  return {
    pageSize,
    root: Number(view.getBigUint64(16, true)),
    freelist: freelist === NO_FREELIST ? undefined : Number(freelist),
    highWater: Number(view.getBigUint64(40, true)),
    txid: view.getBigUint64(48, true),
  };
}

/** FNV-1a, 64 bits, over the bytes before the checksum. */
function metaChecksum(view: DataView): bigint {
  let hash = 0xcbf2_9ce4_8422_2325n;
  for (let i = 0; i < CHECKED_BYTES; i++) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(view.getUint8(i))) * 0x100_0000_01b3n);
  }
  return hash;
}

export interface PageHeader {
  id: number;
  flags: number;
  count: number;
  overflow: number;
}

export function writePageHeader(view: DataView, offset: number, header: PageHeader): void {
  writeUint64(view, offset, header.id);
  view.setUint16(offset + 8, header.flags, true);
  view.setUint16(offset + 10, header.count, true);
  view.setUint32(offset + 12, header.overflow, true);
}

export function readPageHeader(view: DataView, offset: number): PageHeader {
  return {
    id: readUint64(view, offset),
    flags: view.getUint16(offset + 8, true),
    count: view.getUint16(offset + 10, true),
    overflow: view.getUint32(offset + 12, true),
  };
}

/** A page id. Above 2^53 it is not exact, and then out of range of any file anyway. */
export function readUint64(view: DataView, offset: number): number {
  return view.getUint32(offset, true) + view.getUint32(offset + 4, true) * 2 ** 32;
}

/** `value` is a safe integer. */
export function writeUint64(view: DataView, offset: number, value: number): void {
  view.setUint32(offset, value >>> 0, true);
  view.setUint32(offset + 4, Math.floor(value / 2 ** 32), true);
}
