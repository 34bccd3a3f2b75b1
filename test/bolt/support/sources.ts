/** Sources in memory, and whole files from them. */
import { Buffer } from 'node:buffer';
import type { BoltPair, BoltSource, BoltWriteOptions } from '../../../src/bolt/index.js';
import { BoltReader, memoryAccess, planBoltFile } from '../../../src/bolt/index.js';

/** Bucket name -> pairs, both ascending. */
export type Content = Record<string, readonly BoltPair[]>;

export function sourceOf(content: Content, chunkPairs = 100): BoltSource {
  return {
    buckets: () => Object.keys(content),
    async *pairs(bucket) {
      const pairs = content[bucket]!;
      for (let i = 0; i < pairs.length; i += chunkPairs) yield pairs.slice(i, i + chunkPairs);
    },
  };
}

export async function concat(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

export async function fileOf(source: BoltSource, options?: BoltWriteOptions): Promise<Uint8Array> {
  return concat((await planBoltFile(source, options)).write());
}

export function readerOf(bytes: Uint8Array): Promise<BoltReader> {
  return BoltReader.open(memoryAccess(bytes));
}

/** All that a reader finds, with values as hex so that deepEqual is quick and shows differences. */
export async function contentOf(reader: BoltReader): Promise<Record<string, [string, string][]>> {
  const content: Record<string, [string, string][]> = {};
  for (const bucket of reader.buckets()) content[bucket] = await pairsOf(reader, bucket);
  return content;
}

export async function pairsOf(reader: BoltReader, bucket: string, from?: string) {
  const pairs: [string, string][] = [];
  for await (const chunk of reader.pairs(bucket, from)) pairs.push(...chunk.map(printable));
  return pairs;
}

export function printableContent(content: Content): Record<string, [string, string][]> {
  return Object.fromEntries(Object.entries(content).map(([k, v]) => [k, v.map(printable)]));
}

export function printable([key, value]: BoltPair): [string, string] {
  return [key, Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')];
}

export function bytes(length: number, seed = 1): Uint8Array {
  const made = new Uint8Array(length);
  for (let i = 0; i < length; i++) made[i] = (i * 31 + seed * 7) & 0xff;
  return made;
}

/** Pairs with keys of `keyBytes` digits and values of `valueBytes`. */
export function numberedPairs(count: number, keyBytes: number, valueBytes: number): BoltPair[] {
  return Array.from({ length: count }, (_, i) => [
    String(i).padStart(keyBytes, '0'),
    bytes(valueBytes, i),
  ]);
}
