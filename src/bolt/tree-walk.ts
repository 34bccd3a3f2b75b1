/** Walks a bucket's tree, and verifies on the way that it is one. */
import type { BoltError } from './errors.js';
import { corruptPage } from './errors.js';
import type { Page } from './page.js';
import type { PageFile } from './page-file.js';

/** With two elements a branch, the least bbolt writes, no file is large enough for such a depth. */
export const MAX_DEPTH = 64;

/** Keys of a subtree are at or above `from` and below `to`; undefined is no bound. */
export interface KeyBounds {
  from: string | undefined;
  to: string | undefined;
}

export const NO_BOUNDS: KeyBounds = { from: undefined, to: undefined };

/** All keys of the page, or CORRUPT when they do not ascend within the bounds. */
export function orderedKeys(page: Page, bounds: KeyBounds): string[] {
  const keys: string[] = [];
  for (let i = 0; i < page.count; i++) keys.push(page.key(i));
  checkOrder(page.id, keys, bounds);
  return keys;
}

function checkOrder(pageId: number, keys: readonly string[], { from, to }: KeyBounds): void {
  if (keys.length === 0) return;
  if (from !== undefined && keys[0]! < from) {
    throw corruptPage(pageId, 'first key is below the key of its parent');
  }
  for (let i = 1; i < keys.length; i++) {
    if (keys[i]! <= keys[i - 1]!) throw corruptPage(pageId, `key ${i} is not above the one before`);
  }
  if (to !== undefined && keys[keys.length - 1]! >= to) {
    throw corruptPage(pageId, "last key is not below its parent's next key");
  }
}

/** Bounds of the child at `index` of a branch with these keys. */
export function childBounds(keys: readonly string[], index: number, bounds: KeyBounds): KeyBounds {
  return { from: keys[index], to: index + 1 < keys.length ? keys[index + 1] : bounds.to };
}

export interface LeafVisit {
  page: Page;
  keys: readonly string[];
}

/**
 * The leaves from the one that may hold `from`, in order; they may be empty. The walk ends, whatever
 * the file holds: a tree has no more pages than the file, so a walk that has read more meets some of
 * them again.
 */
export async function* walkLeaves(
  file: PageFile,
  root: number,
  from: string,
): AsyncGenerator<LeafVisit> {
  const path: Branch[] = [];
  let bytesLeft = file.sizeBytes;
  let visit: Visit | undefined = { id: root, bounds: NO_BOUNDS };
  while (visit) {
    const page: Page = await file.page(visit.id);
    bytesLeft -= page.runBytes;
    if (bytesLeft < 0) throw corruptPage(page.id, 'its tree has more pages than the file');
    const keys = orderedKeys(page, visit.bounds);
    if (page.isLeaf) yield { page, keys };
    else enter(path, { page, keys, bounds: visit.bounds, next: firstChild(page, from) });
    visit = nextVisit(path);
  }
}

/** The child that may hold `from`: the leftmost also takes what is below its key. */
function firstChild(branch: Page, from: string): number {
  return Math.max(0, branch.lastAtOrBelow(from));
}

function enter(path: Branch[], branch: Branch): void {
  if (path.length === MAX_DEPTH) throw tooDeep(branch.page);
  path.push(branch);
}

function tooDeep(page: Page): BoltError {
  return corruptPage(page.id, `deeper than ${MAX_DEPTH} levels`);
}

interface Visit {
  id: number;
  bounds: KeyBounds;
}

interface Branch {
  page: Page;
  keys: readonly string[];
  bounds: KeyBounds;
  /** Element to visit next. */
  next: number;
}

function nextVisit(path: Branch[]): Visit | undefined {
  for (;;) {
    const branch = path.at(-1);
    if (branch === undefined) return undefined;
    if (branch.next < branch.page.count) {
      const index = branch.next++;
      return {
        id: branch.page.child(index),
        bounds: childBounds(branch.keys, index, branch.bounds),
      };
    }
    path.pop();
  }
}

/** The leaf that holds `key` if the tree does. Only the way down is looked at. */
export async function findLeaf(file: PageFile, root: number, key: string): Promise<Page> {
  let page = await file.page(root);
  for (let depth = 0; !page.isLeaf; depth++) {
    if (depth === MAX_DEPTH) throw tooDeep(page);
    page = await file.page(page.child(firstChild(page, key)));
  }
  return page;
}
