/**
 * All keys of the store: a B+ tree in byte order that also counts live keys, so that the count of a
 * range costs two descents, and beside it hash maps for single keys, four times quicker than a
 * descent. The maps are many and small because a big map that grows copies all it has in one turn.
 */
import { assert } from '../api/index.js';
import type { KeyIndex } from './key-index.js';

const LARGEST_NODE = 64;
const SHARDS = 256;

interface Leaf {
  readonly leaf: true;
  /** Ascending by key. */
  items: KeyIndex[];
  /** The keys of `items`, here as well: a search that had to look into each item would be half as fast. */
  keys: string[];
  /** How many of them are alive. */
  live: number;
}

interface Branch {
  readonly leaf: false;
  children: Node[];
  /** A lower bound of each child's keys; the first is never read. */
  bounds: string[];
  /** How many keys below are alive. */
  live: number;
}

type Node = Leaf | Branch;

export class TreeIndex {
  #root: Node = emptyLeaf();
  readonly #shards = Array.from({ length: SHARDS }, () => new Map<string, KeyIndex>());
  #size = 0;

  /** Keys known, dead ones that are not compacted away included. */
  get size(): number {
    return this.#size;
  }

  /** Keys alive now. */
  get live(): number {
    return this.#root.live;
  }

  get(key: string): KeyIndex | undefined {
    return this.#shard(key).get(key);
  }

  /** Adds a key that is not there yet; it is counted as alive if it is. */
  insert(index: KeyIndex): void {
    this.know(index);
    this.insertKnown(index);
  }

  /**
   * The first half of an insertion: {@link TreeIndex.get} has the key from now on. Nothing else is to be
   * asked about it until {@link TreeIndex.insertKnown} has done the second.
   */
  know(index: KeyIndex): void {
    this.#shard(index.key).set(index.key, index);
    this.#size++;
  }

  /** The second half. Quickest for keys that come in ascending order. */
  insertKnown(index: KeyIndex): void {
    const split = insertBelow(this.#root, index);
    if (split === undefined) return;
    this.#root = {
      leaf: false,
      children: [this.#root, split],
      bounds: ['', firstKey(split)],
      live: this.#root.live + split.live,
    };
  }

  /** Takes out a dead key, all of whose records are compacted away. */
  remove(index: KeyIndex): void {
    if (!this.#shard(index.key).delete(index.key)) return;
    this.#size--;
    removeBelow(this.#root, index);
    while (!this.#root.leaf && this.#root.children.length === 1)
      this.#root = this.#root.children[0]!;
    if (!this.#root.leaf && this.#root.children.length === 0) {
      this.#root = emptyLeaf();
    }
  }

  /** Tells the tree that a key of it has just died (-1) or come back (1). */
  countLife(index: KeyIndex, change: 1 | -1): void {
    let node = this.#root;
    while (!node.leaf) {
      node.live += change;
      node = node.children[childAt(node, index.key)]!;
    }
    node.live += change;
  }

  /** How many keys in [from, to) are alive now. */
  countLive(from: string, to: string): number {
    return from < to ? this.#liveBelow(to) - this.#liveBelow(from) : 0;
  }

  /** Visits the keys in [from, to) in byte order, dead ones too, until `visit` returns false. */
  ascend(from: string, to: string, visit: (index: KeyIndex) => boolean): void {
    ascendBelow(this.#root, from, to, visit);
  }

  /** Throws unless order, counts and maps agree: for tests. */
  check(): void {
    const keys: string[] = [];
    const live = checkBelow(this.#root, keys);
    assert(live === this.#root.live, () => `root counts ${this.#root.live}, has ${live}`);
    assert(keys.length === this.#size, () => `tree has ${keys.length}, size is ${this.#size}`);
    for (let i = 1; i < keys.length; i++) {
      assert(keys[i - 1]! < keys[i]!, () => `key ${i} is not above its predecessor`);
    }
    for (const key of keys) assert(this.get(key)?.key === key, () => `key missing in its map`);
  }

  #liveBelow(key: string): number {
    let count = 0;
    let node = this.#root;
    while (!node.leaf) {
      const at = childAt(node, key);
      for (let i = 0; i < at; i++) count += node.children[i]!.live;
      node = node.children[at]!;
    }
    const end = itemAt(node, key);
    for (let i = 0; i < end; i++) if (node.items[i]!.alive) count++;
    return count;
  }

  #shard(key: string): Map<string, KeyIndex> {
    const last = key.length - 1;
    const mixed =
      key.charCodeAt(last) * 31 + key.charCodeAt(last - 1) * 17 + key.charCodeAt(last - 2) * 7;
    return this.#shards[mixed & (SHARDS - 1)]!;
  }
}

function emptyLeaf(): Leaf {
  return { leaf: true, items: [], keys: [], live: 0 };
}

/** Index of the child that holds `key` if any does. */
function childAt(branch: Branch, key: string): number {
  const { bounds } = branch;
  let low = 0;
  let high = bounds.length - 1;
  // Keys that come in order go to the last child.
  if (bounds[high]! <= key) return high;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (bounds[middle]! <= key) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Index of the first item whose key is at or above `key`. */
function itemAt({ keys }: Leaf, key: string): number {
  let low = 0;
  let high = keys.length;
  if (high > 0 && keys[high - 1]! < key) return high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Adds below `node`; returns the new right sibling if it had to split. */
function insertBelow(node: Node, index: KeyIndex): Node | undefined {
  if (index.alive) node.live++;
  if (node.leaf) {
    const at = itemAt(node, index.key);
    insertAt(node.items, at, index);
    insertAt(node.keys, at, index.key);
    return node.items.length > LARGEST_NODE ? splitLeaf(node, at) : undefined;
  }
  const at = childAt(node, index.key);
  const split = insertBelow(node.children[at]!, index);
  if (split === undefined) return undefined;
  insertAt(node.children, at + 1, split);
  insertAt(node.bounds, at + 1, firstKey(split));
  return node.children.length > LARGEST_NODE ? splitBranch(node, at + 1) : undefined;
}

/** What splice does, without the array it makes. */
function insertAt<T>(array: T[], at: number, item: T): void {
  array.push(item);
  for (let i = array.length - 1; i > at; i--) array[i] = array[i - 1]!;
  array[at] = item;
}

function splitLeaf(leaf: Leaf, insertedAt: number): Leaf {
  const at = splitPoint(leaf.items.length, insertedAt);
  const items = leaf.items.splice(at);
  const keys = leaf.keys.splice(at);
  const live = items.reduce((count, item) => count + (item.alive ? 1 : 0), 0);
  leaf.live -= live;
  return { leaf: true, items, keys, live };
}

function splitBranch(branch: Branch, insertedAt: number): Branch {
  const at = splitPoint(branch.children.length, insertedAt);
  const children = branch.children.splice(at);
  const bounds = branch.bounds.splice(at);
  const live = children.reduce((count, child) => count + child.live, 0);
  branch.live -= live;
  return { leaf: false, children, bounds, live };
}

/** In the middle; but keys that arrive in order leave full nodes behind. */
function splitPoint(length: number, insertedAt: number): number {
  return insertedAt === length - 1 ? length - 1 : length >>> 1;
}

function firstKey(node: Node): string {
  return node.leaf ? node.keys[0]! : firstKey(node.children[0]!);
}

/** Takes `index` out below `node`. Nodes go only when empty: keys come back where keys were. */
function removeBelow(node: Node, index: KeyIndex): void {
  if (index.alive) node.live--;
  if (node.leaf) {
    const at = itemAt(node, index.key);
    assert(node.items[at] === index, () => 'a key to remove is not where the tree has it');
    node.items.splice(at, 1);
    node.keys.splice(at, 1);
    return;
  }
  const at = childAt(node, index.key);
  const child = node.children[at]!;
  removeBelow(child, index);
  if ((child.leaf ? child.items : child.children).length > 0) return;
  node.children.splice(at, 1);
  node.bounds.splice(at, 1);
}

/** False when `visit` said stop or `to` was reached. */
function ascendBelow(
  node: Node,
  from: string,
  to: string,
  visit: (index: KeyIndex) => boolean,
): boolean {
  if (node.leaf) {
    for (let i = itemAt(node, from); i < node.items.length; i++) {
      if (node.keys[i]! >= to || !visit(node.items[i]!)) return false;
    }
    return true;
  }
  const first = childAt(node, from);
  for (let i = first; i < node.children.length; i++) {
    if (!ascendBelow(node.children[i]!, i === first ? from : '', to, visit)) return false;
  }
  return true;
}

function checkBelow(node: Node, keys: string[]): number {
  let live = 0;
  if (node.leaf) {
    for (const item of node.items) {
      keys.push(item.key);
      if (item.alive) live++;
    }
  } else {
    for (const child of node.children) live += checkBelow(child, keys);
  }
  assert(live === node.live, () => `a node counts ${node.live}, has ${live}`);
  return live;
}
