/**
 * Lays the pairs of one bucket, given in order, out on pages, in one pass and in little memory.
 *
 * The tree grows from the bottom: a leaf that is full gets the next page id and an element in the
 * branch above it; a branch that is full does the same. So pages come out in the order of their ids,
 * a branch after its children, and only one unfinished node a level is held.
 *
 *     pairs  a b c d e f g ...     leaves  2: a b c   3: d e f   5: g ...
 *                                  branch                      4: a>2 d>3      (when it is full)
 *
 * As bbolt does, a node is cut when the next element would take it past the fill target, and no part
 * has fewer than two elements; so the last two elements seen are held back.
 */
import { ELEMENT_BYTES, PAGE_HEADER_BYTES } from './format.js';

/** A leaf's values or a branch's child page ids, beside the keys. */
export interface Node {
  readonly leaf: boolean;
  readonly keys: readonly string[];
  /** Of a leaf, in the order of the keys; of a branch, empty. */
  readonly values: readonly Uint8Array[];
  /** Of a branch, in the order of the keys; of a leaf, empty. */
  readonly children: readonly number[];
  /** Page header, elements, keys and values. */
  readonly bytes: number;
}

/** Gives the finished node its page id: takes as many pages as it needs, and writes it there perhaps. */
export type PlaceNode = (node: Node) => number;

/** The share of a page that is filled: etcd's choice where keys only grow, as here. */
const FILL = 0.9;
const MIN_ELEMENTS = 2;

export class TreeLayout {
  readonly #leaves: Level;

  constructor(pageSize: number, place: PlaceNode) {
    this.#leaves = new Level(pageSize, place, true);
  }

  /** Keys must ascend. */
  add(key: string, value: Uint8Array): void {
    this.#leaves.addPair(key, value);
  }

  /** Places what is left; the id of the root page. Without any pair that is an empty leaf. */
  finish(): number {
    return this.#leaves.finish();
  }
}

class Level {
  readonly #pageSize: number;
  readonly #place: PlaceNode;
  readonly #leaf: boolean;
  readonly #fillBytes: number;
  #above: Level | undefined;
  #keys: string[] = [];
  #values: Uint8Array[] = [];
  #children: number[] = [];
  /** Of all elements held, header included. */
  #bytes = PAGE_HEADER_BYTES;
  /** Elements before this one make a full node, of `#cutBytes`; 0: not full yet. */
  #cut = 0;
  #cutBytes = 0;

  constructor(pageSize: number, place: PlaceNode, leaf: boolean) {
    this.#pageSize = pageSize;
    this.#place = place;
    this.#leaf = leaf;
    this.#fillBytes = Math.floor(pageSize * FILL);
  }

  addPair(key: string, value: Uint8Array): void {
    const bytes = ELEMENT_BYTES + key.length + value.length;
    this.#makeRoom(bytes);
    this.#keys.push(key);
    this.#values.push(value);
    this.#bytes += bytes;
  }

  #addChild(key: string, pageId: number): void {
    const bytes = ELEMENT_BYTES + key.length;
    this.#makeRoom(bytes);
    this.#keys.push(key);
    this.#children.push(pageId);
    this.#bytes += bytes;
  }

  finish(): number {
    if (this.#cut > 0) this.#placeHeld();
    if (this.#above === undefined) return this.#placeFirst(this.#keys.length);
    this.#passUp(this.#keys.length);
    return this.#above.finish();
  }

  #makeRoom(bytes: number): void {
    const held = this.#keys.length;
    if (this.#cut > 0 && held - this.#cut === MIN_ELEMENTS) this.#passUp(this.#cut);
    if (this.#cut > 0 || this.#keys.length < MIN_ELEMENTS) return;
    if (this.#bytes + bytes <= this.#fillBytes) return;
    this.#cut = this.#keys.length;
    this.#cutBytes = this.#bytes;
  }

  /** At the end: the full node, leaving two elements for the last one. */
  #placeHeld(): void {
    const rest = this.#keys.length - this.#cut;
    if (rest < MIN_ELEMENTS && this.#cut - 1 >= MIN_ELEMENTS) {
      this.#cut--;
      this.#cutBytes -= this.#elementBytes(this.#cut);
    }
    if (this.#keys.length - this.#cut >= MIN_ELEMENTS) this.#passUp(this.#cut);
  }

  #elementBytes(index: number): number {
    const valueBytes = this.#leaf ? this.#values[index]!.length : 0;
    return ELEMENT_BYTES + this.#keys[index]!.length + valueBytes;
  }

  /** Places the first `count` elements as a node, and tells the level above. */
  #passUp(count: number): void {
    const first = this.#keys[0]!;
    const pageId = this.#placeFirst(count);
    this.#above ??= new Level(this.#pageSize, this.#place, false);
    this.#above.#addChild(first, pageId);
  }

  #placeFirst(count: number): number {
    const bytes = this.#cut > 0 && count === this.#cut ? this.#cutBytes : this.#bytes;
    const pageId = this.#place({
      leaf: this.#leaf,
      keys: this.#keys.slice(0, count),
      values: this.#values.slice(0, count),
      children: this.#children.slice(0, count),
      bytes,
    });
    this.#keys = this.#keys.slice(count);
    this.#values = this.#values.slice(count);
    this.#children = this.#children.slice(count);
    this.#bytes -= bytes - PAGE_HEADER_BYTES;
    this.#cut = 0;
    return pageId;
  }
}
