/** Writes that have not reached the disk: per bucket, key to value, or to undefined when deleted. */
import { type Bucket } from '../backend/index.js';

export type Change = readonly [key: string, value: Uint8Array | undefined];

export class WriteBuffer {
  readonly #buckets = new Map<Bucket, Map<string, Uint8Array | undefined>>();
  #ops = 0;
  #bytes = 0;
  #putBytes = 0;

  /** Distinct keys changed. */
  get ops(): number {
    return this.#ops;
  }

  /** Bytes of their keys and values. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The same, of the keys that were put and not deleted. */
  get putBytes(): number {
    return this.#putBytes;
  }

  /** Was the key changed here? Only then does {@link get} speak for it. */
  has(bucket: Bucket, key: string): boolean {
    return this.#buckets.get(bucket)?.has(key) ?? false;
  }

  get(bucket: Bucket, key: string): Uint8Array | undefined {
    return this.#buckets.get(bucket)?.get(key);
  }

  /** `value` undefined deletes. */
  set(bucket: Bucket, key: string, value: Uint8Array | undefined): void {
    let changes = this.#buckets.get(bucket);
    if (changes === undefined) this.#buckets.set(bucket, (changes = new Map()));
    const before = changes.get(key);
    if (before !== undefined) this.#count(-1, key, before);
    else if (changes.has(key)) this.#count(-1, key, undefined);
    changes.set(key, value);
    this.#count(1, key, value);
  }

  /** Every change, in no particular order. */
  *all(): Generator<readonly [Bucket, Change]> {
    for (const [bucket, changes] of this.#buckets) {
      for (const change of changes) yield [bucket, change];
    }
  }

  /** The changes of `bucket` with `from <= key < to`, in no particular order. */
  *range(bucket: Bucket, from: string, to: string | undefined): Generator<Change> {
    for (const change of this.#buckets.get(bucket) ?? []) {
      if (change[0] >= from && (to === undefined || change[0] < to)) yield change;
    }
  }

  copy(): WriteBuffer {
    const copy = new WriteBuffer();
    for (const [bucket, changes] of this.#buckets) copy.#buckets.set(bucket, new Map(changes));
    copy.#ops = this.#ops;
    copy.#bytes = this.#bytes;
    copy.#putBytes = this.#putBytes;
    return copy;
  }

  #count(sign: 1 | -1, key: string, value: Uint8Array | undefined): void {
    const bytes = sign * (key.length + (value?.length ?? 0));
    this.#ops += sign;
    this.#bytes += bytes;
    if (value !== undefined) this.#putBytes += bytes;
  }
}

/**
 * The changes of several buffers, oldest first, as one ascending list with each key's newest change:
 * what lies over the disk in that range.
 */
export function overlay(
  buffers: readonly WriteBuffer[],
  bucket: Bucket,
  from: string,
  to: string | undefined,
): Change[] {
  const newest = new Map<string, Uint8Array | undefined>();
  for (const buffer of buffers) {
    for (const [key, value] of buffer.range(bucket, from, to)) newest.set(key, value);
  }
  return [...newest].sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
}
