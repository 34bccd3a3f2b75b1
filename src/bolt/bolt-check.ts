/**
 * What bbolt's check verifies (snapshot status runs it): every page below the high-water mark is used
 * exactly once or free, pages are what they should be, keys ascend, also between pages. Inline
 * buckets are not looked into, as bbolt does not.
 */
import { BoltError, corruptPage } from './errors.js';
import { COUNT_LIMIT, PAGE_HEADER_BYTES, PageFlag, readUint64 } from './format.js';
import { Page } from './page.js';
import { PageFile } from './page-file.js';
import type { RandomAccess } from './random-access.js';
import type { KeyBounds } from './tree-walk.js';
import { MAX_DEPTH, NO_BOUNDS, childBounds, orderedKeys } from './tree-walk.js';

const TWICE = 'is referenced more than once';

/** The problems of a bbolt file, a line each, also of one that cannot be opened; empty when sound. */
export async function checkBoltFile(access: RandomAccess): Promise<string[]> {
  try {
    return await checkPages(await PageFile.open(access));
  } catch (error) {
    if (error instanceof BoltError) return [error.message];
    throw error;
  }
}

/** The same of a file whose meta was found valid. */
export async function checkPages(file: PageFile): Promise<string[]> {
  const check = new Check(file);
  await check.freelist();
  await check.tree(file.meta.root, NO_BOUNDS, 0);
  check.leftOver();
  return check.problems;
}

class Check {
  readonly problems: string[] = [];
  readonly #file: PageFile;
  readonly #reached: PageSet;
  readonly #free: PageSet;

  constructor(file: PageFile) {
    this.#file = file;
    this.#reached = new PageSet(file.meta.highWater);
    this.#free = new PageSet(file.meta.highWater);
  }

  async freelist(): Promise<void> {
    const { freelist } = this.#file.meta;
    if (freelist === undefined) return;
    await this.#collecting(async () => {
      const { header, bytes } = await this.#file.run(freelist);
      if (header.flags !== PageFlag.freelist) throw corruptPage(freelist, 'is not a freelist');
      this.#reach(freelist, header.overflow);
      this.#addFree(freelist, freelistIds(freelist, header.count, bytes));
    });
  }

  #addFree(freelist: number, ids: Iterable<number>): void {
    for (const id of ids) {
      if (!(id >= 2 && id < this.#file.meta.highWater)) {
        this.#report(freelist, `frees page ${id}, which is out of range`);
      } else if (!this.#free.add(id)) this.#report(id, 'is twice in the freelist');
    }
  }

  /** Everything below `id`. A page that is malformed is a problem, and what is below it is skipped. */
  async tree(id: number, bounds: KeyBounds, depth: number): Promise<void> {
    if (this.#reached.has(id)) return this.#report(id, TWICE);
    await this.#collecting(async () => {
      const { header, bytes } = await this.#file.run(id);
      if (!this.#reach(id, header.overflow)) return;
      const page = new Page(id, bytes);
      if (depth > MAX_DEPTH) throw corruptPage(id, `deeper than ${MAX_DEPTH} levels`);
      const keys = orderedKeys(page, bounds);
      if (page.isLeaf) return this.#nestedBuckets(page, depth);
      for (let i = 0; i < keys.length; i++) {
        await this.tree(page.child(i), childBounds(keys, i, bounds), depth + 1);
      }
    });
  }

  async #nestedBuckets(page: Page, depth: number): Promise<void> {
    for (let i = 0; i < page.count; i++) {
      const entry = page.value(i);
      if (!page.isBucket(i)) continue;
      if (entry.length < 16) throw corruptPage(page.id, `element ${i}: bucket entry too short`);
      const root = readUint64(new DataView(entry.buffer, entry.byteOffset), 0);
      if (root !== 0) await this.tree(root, NO_BOUNDS, depth + 1);
    }
  }

  /** With a stored freelist, a page that is neither used nor free is lost. */
  leftOver(): void {
    if (this.#file.meta.freelist === undefined) return;
    for (let id = 2; id < this.#file.meta.highWater; id++) {
      if (!this.#reached.has(id) && !this.#free.has(id)) {
        this.#report(id, 'is neither reachable nor free');
      }
    }
  }

  /** Marks a run of pages as used; stops, false, at one that already was. */
  #reach(id: number, overflow: number): boolean {
    for (let i = id; i <= id + overflow; i++) {
      if (!this.#reached.add(i)) {
        this.#report(i, TWICE);
        return false;
      }
      if (this.#free.has(i)) this.#report(i, 'is reachable, yet in the freelist');
    }
    return true;
  }

  #report(pageId: number, problem: string): void {
    this.problems.push(corruptPage(pageId, problem).message);
  }

  async #collecting(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (!(error instanceof BoltError)) throw error;
      this.problems.push(error.message);
    }
  }
}

/** Ids in a freelist page. When there are 0xFFFF or more, the first id is their number. */
function* freelistIds(pageId: number, headerCount: number, run: Uint8Array): Generator<number> {
  const view = new DataView(run.buffer, run.byteOffset, run.length);
  const long = headerCount === COUNT_LIMIT;
  const count = long ? readUint64(view, PAGE_HEADER_BYTES) : headerCount;
  const start = PAGE_HEADER_BYTES + (long ? 8 : 0);
  if (!(start + count * 8 <= run.length)) throw corruptPage(pageId, `${count} ids do not fit`);
  for (let i = 0; i < count; i++) yield readUint64(view, start + i * 8);
}

/** A set of page numbers, one bit each. */
class PageSet {
  readonly #size: number;
  readonly #bits: Uint8Array;

  constructor(size: number) {
    this.#size = size;
    this.#bits = new Uint8Array(Math.ceil(size / 8));
  }

  has(id: number): boolean {
    return id < this.#size && (this.#bits[id >> 3]! & (1 << (id & 7))) !== 0;
  }

  /** False when it was there. */
  add(id: number): boolean {
    if (this.has(id)) return false;
    this.#bits[id >> 3]! |= 1 << (id & 7);
    return true;
  }
}
