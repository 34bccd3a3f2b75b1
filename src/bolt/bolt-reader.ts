/** Reads a bbolt file: its buckets, in order and by key. */
import { checkPages } from './bolt-check.js';
import type { BoltPair, BoltSource } from './bolt-source.js';
import { corruptPage } from './errors.js';
import { BUCKET_HEADER_BYTES, readUint64 } from './format.js';
import { Page } from './page.js';
import { PageFile } from './page-file.js';
import type { RandomAccess } from './random-access.js';
import type { LeafVisit } from './tree-walk.js';
import { NO_BOUNDS, findLeaf, orderedKeys, walkLeaves } from './tree-walk.js';

/** A chunk of pairs is given out when it has so many, or so many bytes of keys and values. */
const CHUNK_PAIRS = 1024;
const CHUNK_BYTES = 256 * 1024;

/** Where a bucket's tree starts: a page of its own, or inside its entry in the directory. */
type Root = number | Page;

/**
 * A bbolt file, open for reading; a {@link BoltSource}, so that one file can be written from another.
 * Memory stays at about 2 MiB plus one page with its overflow, so the largest value. Every
 * method that reads rejects with a CORRUPT BoltError that names the page when the file is malformed,
 * and ends, whatever the file holds. Values are views of larger buffers: copy what you keep.
 */
export class BoltReader implements BoltSource {
  readonly #file: PageFile;
  readonly #roots: ReadonlyMap<string, Root>;

  private constructor(file: PageFile, roots: ReadonlyMap<string, Root>) {
    this.#file = file;
    this.#roots = roots;
  }

  /** Rejects with NOT_BOLT or CORRUPT. Bytes after the last page (a trailer, say) are ignored. */
  static async open(access: RandomAccess): Promise<BoltReader> {
    const file = await PageFile.open(access);
    return new BoltReader(file, await readDirectory(file));
  }

  /** Bytes. */
  get pageSize(): number {
    return this.#file.meta.pageSize;
  }

  /** Transaction that wrote the file. */
  get txid(): bigint {
    return this.#file.meta.txid;
  }

  /** Size of the pages in use, the trailer of a snapshot file not included. */
  get sizeBytes(): number {
    return this.#file.sizeBytes;
  }

  /** Names (latin1), ascending. */
  buckets(): readonly string[] {
    return [...this.#roots.keys()];
  }

  /** Pairs with keys at or above `from`, ascending, in chunks; none when there is no such bucket. */
  async *pairs(bucket: string, from = ''): AsyncGenerator<readonly BoltPair[]> {
    const root = this.#roots.get(bucket);
    if (root === undefined) return;
    let chunk: BoltPair[] = [];
    let bytes = 0;
    for await (const leaf of this.#leaves(root, from)) {
      bytes += addPairs(leaf, from, chunk);
      if (chunk.length < CHUNK_PAIRS && bytes < CHUNK_BYTES) continue;
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    if (chunk.length > 0) yield chunk;
  }

  /** The value, or undefined when there is no such bucket or key. */
  async get(bucket: string, key: string): Promise<Uint8Array | undefined> {
    const root = this.#roots.get(bucket);
    if (root === undefined) return undefined;
    const leaf = root instanceof Page ? root : await findLeaf(this.#file, root, key);
    const index = leaf.lastAtOrBelow(key);
    if (index < 0 || leaf.key(index) !== key) return undefined;
    refuseBucket(leaf, index);
    return leaf.value(index);
  }

  /** What bbolt's check would complain of, a line each; empty when the file is sound. */
  check(): Promise<string[]> {
    return checkPages(this.#file);
  }

  #leaves(root: Root, from: string): Iterable<LeafVisit> | AsyncIterable<LeafVisit> {
    if (!(root instanceof Page)) return walkLeaves(this.#file, root, from);
    return [{ page: root, keys: orderedKeys(root, NO_BOUNDS) }];
  }
}

/** Appends the leaf's pairs; the number of their bytes. */
function addPairs({ page, keys }: LeafVisit, from: string, pairs: BoltPair[]): number {
  let bytes = 0;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    if (key < from) continue;
    refuseBucket(page, i);
    const value = page.value(i);
    bytes += key.length + value.length;
    pairs.push([key, value]);
  }
  return bytes;
}

/** etcd has no buckets in buckets; to pass over one in silence would lose its content. */
function refuseBucket(page: Page, index: number): void {
  if (page.isBucket(index)) throw corruptPage(page.id, `element ${index} is a bucket in a bucket`);
}

async function readDirectory(file: PageFile): Promise<Map<string, Root>> {
  const roots = new Map<string, Root>();
  for await (const { page, keys } of walkLeaves(file, file.meta.root, '')) {
    keys.forEach((name, i) => roots.set(name, bucketRoot(page, i)));
  }
  return roots;
}

function bucketRoot(page: Page, index: number): Root {
  if (!page.isBucket(index)) throw corruptPage(page.id, `element ${index} is not a bucket`);
  const entry = page.value(index);
  if (entry.length < BUCKET_HEADER_BYTES) {
    throw corruptPage(page.id, `element ${index}: bucket entry of ${entry.length} bytes`);
  }
  const root = readUint64(new DataView(entry.buffer, entry.byteOffset), 0);
  return root === 0 ? inlineLeaf(page.id, index, entry.subarray(BUCKET_HEADER_BYTES)) : root;
}

function inlineLeaf(pageId: number, index: number, bytes: Uint8Array): Page {
  const leaf = new Page(pageId, bytes);
  if (!leaf.isLeaf) throw corruptPage(pageId, `element ${index}: inline bucket is not a leaf`);
  return leaf;
}
