/** What a bolt file is written from, and what reading one gives. */

/** A key (latin1 string, 1 to 32,768 bytes) and its value. The value's bytes must not be changed. */
export type BoltPair = readonly [key: string, value: Uint8Array];

export interface BoltSource {
  /** Names (latin1), ascending. */
  buckets(): readonly string[];
  /** The bucket's pairs in chunks, keys ascending; the same pairs each time. */
  pairs(bucket: string): AsyncIterable<readonly BoltPair[]>;
}
