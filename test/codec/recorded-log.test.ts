/** A log that etcd 3.4.23 wrote: every record decodes, and encodes to the very bytes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  confChange,
  entry,
  hardState,
  internalRequest,
  memberContextJson,
  type Codec,
} from '../../src/codec/index.js';
import { EntryType } from '../../src/raft/index.js';
import { fixturePath } from './proto-files.js';
import { bytes, hex } from './values.js';

function recordsOf(kind: 'entry' | 'hardState'): Uint8Array[] {
  return readFileSync(fixturePath('wal-3.4.23.txt'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`${kind} `))
    .map((line) => bytes(line.slice(kind.length)));
}

/** Decodes, and checks that encoding gives the bytes back. */
function decodeExactly<T>(codec: Codec<T>, recorded: Uint8Array): T {
  const value = codec.decode(recorded);
  assert.equal(hex(codec.encode(value)), hex(recorded));
  return value;
}

const entries = recordsOf('entry').map((recorded) => decodeExactly(entry, recorded));

test('hard states', () => {
  const states = recordsOf('hardState').map((recorded) => decodeExactly(hardState, recorded));
  assert.ok(states.length > 0);
  assert.ok(states.every(({ term }) => term > 0));
});

test('requests: publishing, puts, a lease, a transaction, compaction, an alarm', () => {
  const requests = entries.filter(({ type, data }) => type === EntryType.normal && data.length > 0);
  const kinds = new Set<string>();
  for (const { data } of requests) {
    const { op } = internalRequest.decode(data);
    kinds.add(op.kind === 'unsupported' ? op.field : op.kind);
    if (op.kind !== 'unsupported') decodeExactly(internalRequest, data);
  }
  assert.deepEqual([...kinds].sort(), [
    'alarm',
    'auth_user_add',
    'compaction',
    'deleteRange',
    'leaseGrant',
    'leaseRevoke',
    'put',
    'txn',
    'v2',
  ]);
});

test('a founder and a learner that was added', () => {
  const members = entries
    .filter(({ type }) => type === EntryType.confChange)
    .map(({ data }) => decodeExactly(confChange, data))
    .map(({ nodeId, context }) => ({ nodeId, ...decodeExactly(memberContextJson, context) }));
  assert.deepEqual(
    members.map(({ name, isLearner }) => [name, isLearner]),
    [
      ['default', false],
      ['', true],
    ],
  );
  for (const { nodeId, id } of members) assert.equal(id, nodeId);
});
