/**
 * Records of the raft log in LevelDB, each sealed with its checksum (record.ts). Entries that follow
 * each other share a record, a block, so that a write of many costs one; its key is the index of its
 * first entry, 8 bytes big endian, so that blocks lie in order. The others have a key of their own behind.
 *
 *     block        of each entry: term (8), type (1), length (4), data
 *     hard state   term (8), vote (8), commit (8)
 *     start        index (8), term (8)
 *     metadata     index (8), term (8), autoLeave (1), four lists of ids: count (4), ids (8 each)
 *     identity     format (1), member id (8), cluster id (8)
 */
import type { ConfState, Entry, EntryType, HardState, SnapshotMetadata } from '../raft/index.js';
import type { LogStart } from './log-state.js';
import type { LogIdentity } from './raft-log.js';
import { newRecord, seal, sealed } from './record.js';

export const LogKey = {
  hardState: Buffer.of(0xff, 1),
  start: Buffer.of(0xff, 2),
  metadata: Buffer.of(0xff, 3),
  identity: Buffer.of(0xff, 4),
  /** Behind every entry's key. */
  entriesEnd: Buffer.of(0xff),
} as const;

const ENTRY_HEADER_BYTES = 13;
const FORMAT = 1;

export function entryKey(index: number): Buffer {
  const key = Buffer.allocUnsafe(8);
  writeUint64(key, 0, index);
  return key;
}

export function indexOfKey(key: Buffer): number {
  return readUint64(key, 0);
}

/** The sealed record of entries that follow each other. */
export function encodeBlock(key: Buffer, entries: readonly Entry[]): Buffer {
  let length = 0;
  for (const { data } of entries) length += ENTRY_HEADER_BYTES + data.length;
  const record = newRecord(length);
  let offset = 0;
  for (const { term, type, data } of entries) {
    writeUint64(record, offset, term);
    record[offset + 8] = type;
    record.writeUInt32BE(data.length, offset + 9);
    record.set(data, offset + ENTRY_HEADER_BYTES);
    offset += ENTRY_HEADER_BYTES + data.length;
  }
  return seal(key, record);
}

/** The entries in an unsealed block that begins at `index`; undefined when it is malformed. */
export function decodeBlock(index: number, bytes: Buffer): Entry[] | undefined {
  const entries: Entry[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const start = offset + ENTRY_HEADER_BYTES;
    if (start > bytes.length) return undefined;
    const end = start + bytes.readUInt32BE(offset + 9);
    if (end > bytes.length) return undefined;
    entries.push({
      index: index + entries.length,
      term: readUint64(bytes, offset),
      type: bytes[offset + 8] as EntryType,
      data: bytes.subarray(start, end),
    });
    offset = end;
  }
  return entries.length > 0 ? entries : undefined;
}

export function encodeHardState({ term, vote, commit }: HardState): Buffer {
  const bytes = Buffer.alloc(24);
  writeUint64(bytes, 0, term);
  bytes.writeBigUInt64BE(vote, 8);
  writeUint64(bytes, 16, commit);
  return sealed(LogKey.hardState, bytes);
}

export function decodeHardState(bytes: Buffer): HardState {
  return {
    term: readUint64(bytes, 0),
    vote: bytes.readBigUInt64BE(8),
    commit: readUint64(bytes, 16),
  };
}

export function encodeStart({ index, term }: LogStart): Buffer {
  const bytes = Buffer.alloc(16);
  writeUint64(bytes, 0, index);
  writeUint64(bytes, 8, term);
  return sealed(LogKey.start, bytes);
}

export function decodeStart(bytes: Buffer): LogStart {
  return { index: readUint64(bytes, 0), term: readUint64(bytes, 8) };
}

export function encodeMetadata({ index, term, confState }: SnapshotMetadata): Buffer {
  const lists = listsOf(confState);
  const ids = lists.reduce((sum, list) => sum + list.length, 0);
  const bytes = Buffer.alloc(17 + 4 * lists.length + 8 * ids);
  writeUint64(bytes, 0, index);
  writeUint64(bytes, 8, term);
  bytes[16] = confState.autoLeave ? 1 : 0;
  let offset = 17;
  for (const list of lists) {
    offset = bytes.writeUInt32BE(list.length, offset);
    for (const id of list) offset = bytes.writeBigUInt64BE(id, offset);
  }
  return sealed(LogKey.metadata, bytes);
}

export function decodeMetadata(bytes: Buffer): SnapshotMetadata {
  let offset = 17;
  const list = () => {
    const ids: bigint[] = [];
    const count = bytes.readUInt32BE(offset);
    offset += 4;
    for (let i = 0; i < count; i++, offset += 8) ids.push(bytes.readBigUInt64BE(offset));
    return ids;
  };
  const confState: ConfState = {
    voters: list(),
    learners: list(),
    votersOutgoing: list(),
    learnersNext: list(),
    autoLeave: bytes[16] === 1,
  };
  return { index: readUint64(bytes, 0), term: readUint64(bytes, 8), confState };
}

export function encodeIdentity({ memberId, clusterId }: LogIdentity): Buffer {
  const bytes = Buffer.alloc(17);
  bytes[0] = FORMAT;
  bytes.writeBigUInt64BE(memberId, 1);
  bytes.writeBigUInt64BE(clusterId, 9);
  return sealed(LogKey.identity, bytes);
}

/** Undefined when it is of another format. */
export function decodeIdentity(bytes: Buffer): LogIdentity | undefined {
  if (bytes.length !== 17 || bytes[0] !== FORMAT) return undefined;
  return { memberId: bytes.readBigUInt64BE(1), clusterId: bytes.readBigUInt64BE(9) };
}

function listsOf(confState: ConfState): (readonly bigint[])[] {
  const { voters, learners, votersOutgoing, learnersNext } = confState;
  return [voters, learners, votersOutgoing, learnersNext];
}

function writeUint64(bytes: Buffer, offset: number, value: number): void {
  bytes.writeUInt32BE(Math.floor(value / 2 ** 32), offset);
  bytes.writeUInt32BE(value >>> 0, offset + 4);
}

function readUint64(bytes: Buffer, offset: number): number {
  return bytes.readUInt32BE(offset) * 2 ** 32 + bytes.readUInt32BE(offset + 4);
}
