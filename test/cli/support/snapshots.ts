/** Snapshot files that real etcd servers saved (test/fixtures/bolt), and others made from them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type BoltPair,
  type BoltSource,
  planBoltFile,
  withSha256,
} from '../../../src/bolt/index.js';

/** The path of a fixture. */
export function fixture(version: '3.4.23' | '3.5.16'): string {
  const folder = new URL('../../../../test/fixtures/bolt/', import.meta.url);
  return fileURLToPath(new URL(`etcd-${version}.db`, folder));
}

export function fixtureBytes(version: '3.4.23' | '3.5.16'): Buffer {
  return readFileSync(fixture(version));
}

/** A snapshot file with these buckets (names ascending). */
export async function snapshotFile(content: Record<string, readonly BoltPair[]>): Promise<Buffer> {
  const source: BoltSource = {
    buckets: () => Object.keys(content),
    pairs: async function* (bucket) {
      yield content[bucket]!;
    },
  };
  const chunks: Uint8Array[] = [];
  const plan = await planBoltFile(source);
  for await (const chunk of withSha256(plan.write())) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
