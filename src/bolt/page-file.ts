/**
 * A bbolt file as numbered pages: finds the valid meta, and gives pages whose number, kind and extent
 * are right. Reads in windows of about 64 KiB and keeps the last few: a tree is mostly laid out in the
 * order in which it is walked.
 */
import { BoltError, corruptPage } from './errors.js';
import { META_BYTES, PAGE_HEADER_BYTES, decodeMeta, readPageHeader } from './format.js';
import type { Meta, PageHeader } from './format.js';
import { Page } from './page.js';
import type { RandomAccess } from './random-access.js';

const WINDOW_BYTES = 64 * 1024;
const WINDOWS = 32;
/** bbolt looks for the second meta at 1024 << 0 to 1024 << 14. */
const PAGE_SIZE_GUESSES = 15;

export class PageFile {
  readonly meta: Meta;
  readonly #access: RandomAccess;
  readonly #windowPages: number;
  /** By number; the least recently used first. */
  readonly #windows = new Map<number, Uint8Array>();

  private constructor(access: RandomAccess, meta: Meta) {
    this.meta = meta;
    this.#access = access;
    this.#windowPages = Math.max(1, Math.floor(WINDOW_BYTES / meta.pageSize));
  }

  /** Rejects with NOT_BOLT without a valid meta, CORRUPT when the file ends before its last page. */
  static async open(access: RandomAccess): Promise<PageFile> {
    const meta = await readMeta(access);
    if (!(meta.highWater * meta.pageSize <= access.size)) {
      throw new BoltError(
        'CORRUPT',
        `file truncated: ${access.size} bytes, but ${meta.highWater} pages of ${meta.pageSize}`,
      );
    }
    return new PageFile(access, meta);
  }

  /** Size of the pages in use: that of a snapshot without its trailer. */
  get sizeBytes(): number {
    return this.meta.highWater * this.meta.pageSize;
  }

  /** A branch or leaf. Rejects with CORRUPT when there is none of this number. */
  async page(id: number): Promise<Page> {
    return new Page(id, (await this.run(id)).bytes);
  }

  /** Any page and its overflow pages. Its number and extent are right; nothing else is checked. */
  async run(id: number): Promise<{ header: PageHeader; bytes: Uint8Array }> {
    if (!(id >= 2 && id < this.meta.highWater)) {
      throw corruptPage(id, `out of range (2 to ${this.meta.highWater - 1})`);
    }
    const { pageSize } = this.meta;
    const windowNumber = Math.floor(id / this.#windowPages);
    const window = this.#cached(windowNumber) ?? (await this.#load(windowNumber));
    const start = (id - windowNumber * this.#windowPages) * pageSize;
    const header = readPageHeader(new DataView(window.buffer, window.byteOffset + start, 16), 0);
    this.#checkHeader(id, header);
    const runBytes = (header.overflow + 1) * pageSize;
    const bytes =
      start + runBytes <= window.length
        ? window.subarray(start, start + runBytes)
        : await readExactly(this.#access, id * pageSize, runBytes);
    return { header, bytes };
  }

  #checkHeader(id: number, header: PageHeader): void {
    if (header.id !== id) throw corruptPage(id, `carries the number ${header.id}`);
    if (id + header.overflow >= this.meta.highWater) {
      throw corruptPage(id, `${header.overflow} overflow pages reach past the last page`);
    }
  }

  #cached(windowNumber: number): Uint8Array | undefined {
    const window = this.#windows.get(windowNumber);
    if (window === undefined) return undefined;
    this.#windows.delete(windowNumber);
    this.#windows.set(windowNumber, window);
    return window;
  }

  async #load(windowNumber: number): Promise<Uint8Array> {
    const bytes = this.#windowPages * this.meta.pageSize;
    const start = windowNumber * bytes;
    const window = await readExactly(this.#access, start, Math.min(bytes, this.sizeBytes - start));
    this.#windows.set(windowNumber, window);
    if (this.#windows.size > WINDOWS) this.#windows.delete(this.#windows.keys().next().value!);
    return window;
  }
}

async function readExactly(access: RandomAccess, start: number, length: number) {
  const bytes = await access.read(start, length);
  if (bytes.length === length) return bytes;
  throw new BoltError(
    'CORRUPT',
    `file truncated: ${bytes.length} bytes of ${length} at offset ${start}`,
  );
}

/** The valid meta with the higher transaction id; page 0 when they are equal. */
async function readMeta(access: RandomAccess): Promise<Meta> {
  const first = await metaAt(access, 0);
  const pageSize = typeof first === 'string' ? await findPageSize(access) : first.pageSize;
  const second = pageSize === undefined ? 'not found' : await metaAt(access, pageSize);
  if (typeof second === 'string') {
    if (typeof first !== 'string') return first;
    throw new BoltError('NOT_BOLT', `invalid database: meta page 0: ${first}; page 1: ${second}`);
  }
  return typeof first === 'string' || second.txid > first.txid ? second : first;
}

/** From the second meta, when the first one is damaged: it is one page from the start. */
async function findPageSize(access: RandomAccess): Promise<number | undefined> {
  for (let i = 0; i < PAGE_SIZE_GUESSES; i++) {
    const meta = await metaAt(access, 1024 << i);
    if (typeof meta !== 'string') return meta.pageSize;
  }
  return undefined;
}

/** `pageStart`: offset of the page the meta is on. */
async function metaAt(access: RandomAccess, pageStart: number): Promise<Meta | string> {
  const start = pageStart + PAGE_HEADER_BYTES;
  if (start + META_BYTES > access.size) return 'past the end of the file';
  return decodeMeta(await readExactly(access, start, META_BYTES));
}
