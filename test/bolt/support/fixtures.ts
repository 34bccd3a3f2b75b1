/** Snapshot files that real etcd servers saved, and what etcdctl said of them. */
import { readFileSync } from 'node:fs';

export const FIXTURES = ['3.4.23', '3.5.16'] as const;
export type Fixture = (typeof FIXTURES)[number];

const folder = new URL('../../../../test/fixtures/bolt/', import.meta.url);

/** The snapshot file, SHA-256 included. */
export function snapshotOf(version: Fixture): Uint8Array {
  return readFileSync(new URL(`etcd-${version}.db`, folder));
}

export function statusOf(version: Fixture): Record<string, number> {
  return json(`etcd-${version}.status.json`) as Record<string, number>;
}

/** `endpoint hashkv` of the server that saved it. */
export function hashKvOf(version: Fixture): number {
  const [answer] = json(`etcd-${version}.hashkv.json`) as [{ HashKV: { hash: number } }];
  return answer.HashKV.hash;
}

function json(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
}
