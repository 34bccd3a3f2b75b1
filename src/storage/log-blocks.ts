/**
 * Which blocks of entries a raft log has on disk, the batch being made included. A block is cut when a
 * replacement begins in its middle, so the entries of blocks that are not written yet are kept here.
 */
import type { Entry } from '../raft/index.js';

/** Data in a block at most, one entry more where that alone is larger: what a read of one entry costs. */
const BLOCK_BYTES = 256 << 10;

interface Unwritten {
  readonly first: number;
  readonly entries: readonly Entry[];
}

export class LogBlocks {
  /** Index of the first entry of each block, ascending. */
  readonly #firsts: number[];
  /** Blocks of writes that are not applied yet, in order of writing. */
  #unwritten: Unwritten[] = [];
  /** Blocks added since the start. */
  added = 0;

  constructor(firsts: number[]) {
    this.#firsts = firsts;
  }

  /** Where the block that has `index` begins; undefined before the first. */
  firstOf(index: number): number | undefined {
    return this.#firsts[this.#at(index)];
  }

  /** A block has been put into a batch. */
  add(first: number, entries: readonly Entry[]): void {
    this.#firsts.push(first);
    this.#unwritten.push({ first, entries });
    this.added++;
  }

  /** The oldest `count` of the blocks that were added are written. */
  written(count: number): void {
    this.#unwritten = this.#unwritten.slice(count);
  }

  /** An entry of a block that is not written yet. */
  unwritten(index: number): Entry | undefined {
    for (let i = this.#unwritten.length - 1; i >= 0; i--) {
      const { first, entries } = this.#unwritten[i]!;
      if (index >= first) return entries[index - first];
    }
    return undefined;
  }

  /** Takes off the blocks that have entries from `index` on; returns where they begin. */
  takeFrom(index: number): number[] {
    return this.#firsts.splice(Math.max(0, this.#at(index)));
  }

  /** Takes off at most `limit` blocks from the front that have nothing behind `index`. */
  takeThrough(index: number, limit: number): number[] {
    let count = 0;
    while (count < limit && count + 1 < this.#firsts.length) {
      if (this.#firsts[count + 1]! > index + 1) break;
      count++;
    }
    return this.#firsts.splice(0, count);
  }

  /** Position of the block that has `index`, or would; -1 before the first. */
  #at(index: number): number {
    let low = 0;
    let high = this.#firsts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#firsts[middle]! <= index) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** `entries` in pieces that are a block each. */
export function cutIntoBlocks(entries: readonly Entry[]): (readonly Entry[])[] {
  const blocks: (readonly Entry[])[] = [];
  let start = 0;
  let bytes = 0;
  for (let i = 0; i < entries.length; i++) {
    bytes += entries[i]!.data.length;
    if (bytes <= BLOCK_BYTES || i === start) continue;
    blocks.push(entries.slice(start, i));
    start = i;
    bytes = entries[i]!.data.length;
  }
  if (start < entries.length) blocks.push(start === 0 ? entries : entries.slice(start));
  return blocks;
}
