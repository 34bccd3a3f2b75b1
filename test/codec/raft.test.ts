import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  confChange,
  confState,
  entry,
  hardState,
  message,
  snapshot,
} from '../../src/codec/index.js';
import { MessageType, type ConfState, type Message } from '../../src/raft/index.js';
import { bytes, hex, plain } from './values.js';

const none: Message = {
  type: MessageType.hup,
  to: 0n,
  from: 0n,
  term: 0,
  logTerm: 0,
  index: 0,
  entries: [],
  commit: 0,
  reject: false,
  rejectHint: 0,
  context: new Uint8Array(0),
};

/** Keep-alive of a message stream, as recorded from etcd 3.4 and 3.5. */
const HEARTBEAT = '08081000180020002800300040004a0a12080a0228001000180050005800';

test('a heartbeat is byte for byte that of etcd 3.5', () => {
  const heartbeat = { ...none, type: MessageType.heartbeat };
  assert.equal(hex(message.encode(heartbeat)), HEARTBEAT);
  assert.deepEqual(plain(message.decode(bytes(HEARTBEAT))), plain(heartbeat));
});

test('absent fields are zero: what etcd 3.7 leaves out', () => {
  assert.deepEqual(plain(message.decode(bytes('0808'))), plain({ ...none, type: 8 }));
  assert.deepEqual(
    plain(entry.decode(new Uint8Array(0))),
    plain({ type: 0, term: 0, index: 0, data: new Uint8Array(0) }),
  );
  assert.deepEqual(hardState.decode(new Uint8Array(0)), { term: 0, vote: 0n, commit: 0 });
});

test('an empty snapshot is none, unless the message is there for it', () => {
  const empty = '4a0a12080a02280010001800';
  assert.equal('snapshot' in message.decode(bytes(`0803 ${empty}`)), false);
  assert.equal(message.decode(bytes(`0807 ${empty}`)).snapshot?.metadata.index, 0);
  assert.equal(message.decode(bytes('0803 4a0612040a001005')).snapshot?.metadata.index, 5);
});

test('an unknown message type keeps its number, and fields 13 and 14 are skipped', () => {
  const decoded = message.decode(bytes('0817 6807 7202 0803'));
  assert.equal(decoded.type, 23);
  assert.deepEqual(decoded.entries, []);
});

test('ids of a ConfState are written unpacked and read in both forms', () => {
  const state: ConfState = {
    voters: [1n, 2n ** 64n - 1n],
    learners: [300n],
    votersOutgoing: [],
    learnersNext: [],
    autoLeave: true,
  };
  const unpacked = '0801 08ffffffffffffffffff01 10ac02 2801';
  assert.equal(hex(confState.encode(state)), hex(bytes(unpacked)));
  assert.deepEqual(confState.decode(bytes(unpacked)), state);
  const packed = '0a0b 01ffffffffffffffffff01 1202ac02 2801';
  assert.deepEqual(confState.decode(bytes(packed)), state);
  assert.deepEqual(confState.decode(bytes('0801 0a0102 0803 0a00')).voters, [1n, 2n, 3n]);
});

test('a packed list may not end within an element', () => {
  assert.throws(() => confState.decode(bytes('0a0180 01')), { name: 'DecodeError' });
});

test('an entry without data has no field 4', () => {
  const noOp = { type: 0, term: 2, index: 5, data: new Uint8Array(0) } as const;
  assert.equal(hex(entry.encode(noOp)), '080010021805');
});

test('the removal of a member has no context', () => {
  const removal = { id: 9n, type: 1, nodeId: 5n, context: new Uint8Array(0) } as const;
  assert.equal(hex(confChange.encode(removal)), '080910011805');
});

test('a snapshot description carries its data first', () => {
  const metadata = {
    confState: {
      voters: [1n],
      learners: [],
      votersOutgoing: [],
      learnersNext: [],
      autoLeave: false,
    },
    index: 7,
    term: 2,
  };
  const described = { metadata, data: bytes('7b7d') };
  assert.equal(hex(snapshot.encode(described)), hex(bytes('0a027b7d 120a 0a0408012800 1007 1802')));
});
