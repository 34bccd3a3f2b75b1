/**
 * raftpb: what members send each other and what the log holds.
 *
 * Written as etcd 3.4 and 3.5 write it: every scalar even when zero, every submessage (a message
 * without a snapshot carries an empty one), bytes only when not empty, ids of a ConfState unpacked.
 * Read tolerantly: absent is zero, unknown fields are skipped, ids packed or not, and an empty
 * snapshot is none.
 */
import type {
  ConfChange,
  ConfChangeTransition,
  ConfChangeType,
  ConfChangeV2,
  ConfState,
  Entry,
  EntryType,
  HardState,
  Message,
  Snapshot,
  SnapshotMetadata,
} from '../raft/index.js';
import { MessageType } from '../raft/index.js';
import { codec, writeEach, writeMessage } from './codec.js';
import type { Reader, Writer } from './wire.js';

const NO_BYTES: Uint8Array = new Uint8Array(0);

function writeEntry(w: Writer, entry: Entry): void {
  w.bytes(4, entry.data);
  w.alwaysInteger(3, entry.index);
  w.alwaysInteger(2, entry.term);
  w.alwaysInteger(1, entry.type);
}

function readEntry(r: Reader): Entry {
  let type = 0;
  let term = 0;
  let index = 0;
  let data = NO_BYTES;
  while (r.next()) {
    switch (r.field) {
      case 1:
        type = r.int32();
        break;
      case 2:
        term = r.safeUint64();
        break;
      case 3:
        index = r.safeUint64();
        break;
      case 4:
        data = r.view();
        break;
      default:
        r.skip();
    }
  }
  return { type: type as EntryType, term, index, data };
}

/** An unknown type is kept as its number. `data` is a view of the decoded bytes. */
export const entry = codec<Entry>(writeEntry, readEntry);

function writeIds(w: Writer, field: number, ids: readonly bigint[]): void {
  for (let i = ids.length - 1; i >= 0; i--) w.alwaysInteger(field, ids[i]!);
}

function writeConfState(w: Writer, state: ConfState): void {
  w.alwaysBool(5, state.autoLeave);
  writeIds(w, 4, state.learnersNext);
  writeIds(w, 3, state.votersOutgoing);
  writeIds(w, 2, state.learners);
  writeIds(w, 1, state.voters);
}

function readId(r: Reader): bigint {
  return r.uint64Bigint();
}

function readConfState(r: Reader): ConfState {
  const voters: bigint[] = [];
  const learners: bigint[] = [];
  const votersOutgoing: bigint[] = [];
  const learnersNext: bigint[] = [];
  let autoLeave = false;
  while (r.next()) {
    switch (r.field) {
      case 1:
        r.repeated(voters, readId);
        break;
      case 2:
        r.repeated(learners, readId);
        break;
      case 3:
        r.repeated(votersOutgoing, readId);
        break;
      case 4:
        r.repeated(learnersNext, readId);
        break;
      case 5:
        autoLeave = r.bool();
        break;
      default:
        r.skip();
    }
  }
  return { voters, learners, votersOutgoing, learnersNext, autoLeave };
}

export const confState = codec<ConfState>(writeConfState, readConfState);

const emptySnapshot: Snapshot = {
  metadata: {
    confState: { voters: [], learners: [], votersOutgoing: [], learnersNext: [], autoLeave: false },
    index: 0,
    term: 0,
  },
  data: NO_BYTES,
};

function writeMetadata(w: Writer, metadata: SnapshotMetadata): void {
  w.alwaysInteger(3, metadata.term);
  w.alwaysInteger(2, metadata.index);
  writeMessage(w, 1, metadata.confState, writeConfState);
}

function readMetadata(r: Reader): SnapshotMetadata {
  let state = emptySnapshot.metadata.confState;
  let index = 0;
  let term = 0;
  while (r.next()) {
    switch (r.field) {
      case 1:
        state = r.message(readConfState);
        break;
      case 2:
        index = r.safeUint64();
        break;
      case 3:
        term = r.safeUint64();
        break;
      default:
        r.skip();
    }
  }
  return { confState: state, index, term };
}

function writeSnapshot(w: Writer, value: Snapshot): void {
  writeMessage(w, 2, value.metadata, writeMetadata);
  w.bytes(1, value.data);
}

function readSnapshot(r: Reader): Snapshot {
  let metadata = emptySnapshot.metadata;
  let data = NO_BYTES;
  while (r.next()) {
    switch (r.field) {
      case 1:
        data = r.view();
        break;
      case 2:
        metadata = r.message(readMetadata);
        break;
      default:
        r.skip();
    }
  }
  return { metadata, data };
}

/** `data` is a view of the decoded bytes. */
export const snapshot = codec<Snapshot>(writeSnapshot, readSnapshot);

function writeRaftMessage(w: Writer, message: Message): void {
  w.bytes(12, message.context);
  w.alwaysInteger(11, message.rejectHint);
  w.alwaysBool(10, message.reject);
  writeMessage(w, 9, message.snapshot ?? emptySnapshot, writeSnapshot);
  w.alwaysInteger(8, message.commit);
  writeEach(w, 7, message.entries, writeEntry);
  w.alwaysInteger(6, message.index);
  w.alwaysInteger(5, message.logTerm);
  w.alwaysInteger(4, message.term);
  w.alwaysInteger(3, message.from);
  w.alwaysInteger(2, message.to);
  w.alwaysInteger(1, message.type);
}

/** A message in the making. */
type Draft = { -readonly [K in keyof Message]: Message[K] } & { entries: Entry[] };

function readRaftMessage(r: Reader): Message {
  const message: Draft = {
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
    context: NO_BYTES,
  };
  while (r.next()) readMessageField(r, message);
  if (message.snapshot !== undefined && isNoSnapshot(message, message.snapshot)) {
    delete message.snapshot;
  }
  return message;
}

/** Members of etcd up to 3.5 put an empty snapshot into every message. */
function isNoSnapshot(message: Message, { metadata }: Snapshot): boolean {
  return message.type !== MessageType.snapshot && metadata.index === 0;
}

function readMessageField(r: Reader, message: Draft): void {
  switch (r.field) {
    case 1:
      message.type = r.int32() as MessageType;
      break;
    case 2:
      message.to = r.uint64Bigint();
      break;
    case 3:
      message.from = r.uint64Bigint();
      break;
    case 4:
      message.term = r.safeUint64();
      break;
    case 5:
      message.logTerm = r.safeUint64();
      break;
    case 6:
      message.index = r.safeUint64();
      break;
    case 7:
      message.entries.push(r.message(readEntry));
      break;
    case 8:
      message.commit = r.safeUint64();
      break;
    case 9:
      message.snapshot = r.message(readSnapshot);
      break;
    case 10:
      message.reject = r.bool();
      break;
    case 11:
      message.rejectHint = r.safeUint64();
      break;
    case 12:
      message.context = r.view();
      break;
    default:
      r.skip();
  }
}

/**
 * An unknown type is kept as its number. Entry data, context and snapshot data are views of the
 * decoded bytes.
 */
export const message = codec<Message>(writeRaftMessage, readRaftMessage);

function writeHardState(w: Writer, state: HardState): void {
  w.alwaysInteger(3, state.commit);
  w.alwaysInteger(2, state.vote);
  w.alwaysInteger(1, state.term);
}

function readHardState(r: Reader): HardState {
  let term = 0;
  let vote = 0n;
  let commit = 0;
  while (r.next()) {
    switch (r.field) {
      case 1:
        term = r.safeUint64();
        break;
      case 2:
        vote = r.uint64Bigint();
        break;
      case 3:
        commit = r.safeUint64();
        break;
      default:
        r.skip();
    }
  }
  return { term, vote, commit };
}

export const hardState = codec<HardState>(writeHardState, readHardState);

function writeConfChange(w: Writer, change: ConfChange): void {
  w.bytes(4, change.context);
  w.alwaysInteger(3, change.nodeId);
  w.alwaysInteger(2, change.type);
  w.alwaysInteger(1, change.id);
}

function readConfChange(r: Reader): ConfChange {
  let id = 0n;
  let type = 0;
  let nodeId = 0n;
  let context = NO_BYTES;
  while (r.next()) {
    switch (r.field) {
      case 1:
        id = r.uint64Bigint();
        break;
      case 2:
        type = r.int32();
        break;
      case 3:
        nodeId = r.uint64Bigint();
        break;
      case 4:
        context = r.view();
        break;
      default:
        r.skip();
    }
  }
  return { id, type: type as ConfChangeType, nodeId, context };
}

/** Data of an entry of type confChange. An unknown type is kept as its number. */
export const confChange = codec<ConfChange>(writeConfChange, readConfChange);

type SingleChange = ConfChangeV2['changes'][number];

function writeSingleChange(w: Writer, change: SingleChange): void {
  w.alwaysInteger(2, change.nodeId);
  w.alwaysInteger(1, change.type);
}

function readSingleChange(r: Reader): SingleChange {
  let type = 0;
  let nodeId = 0n;
  while (r.next()) {
    switch (r.field) {
      case 1:
        type = r.int32();
        break;
      case 2:
        nodeId = r.uint64Bigint();
        break;
      default:
        r.skip();
    }
  }
  return { type: type as ConfChangeType, nodeId };
}

function writeConfChangeV2(w: Writer, change: ConfChangeV2): void {
  w.bytes(3, change.context);
  writeEach(w, 2, change.changes, writeSingleChange);
  w.alwaysInteger(1, change.transition);
}

function readConfChangeV2(r: Reader): ConfChangeV2 {
  let transition = 0;
  const changes: SingleChange[] = [];
  let context = NO_BYTES;
  while (r.next()) {
    switch (r.field) {
      case 1:
        transition = r.int32();
        break;
      case 2:
        changes.push(r.message(readSingleChange));
        break;
      case 3:
        context = r.view();
        break;
      default:
        r.skip();
    }
  }
  return { transition: transition as ConfChangeTransition, changes, context };
}

/** Data of an entry of type confChangeV2. */
export const confChangeV2 = codec<ConfChangeV2>(writeConfChangeV2, readConfChangeV2);
