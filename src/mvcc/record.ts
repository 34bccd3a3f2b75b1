/**
 * Records of bucket `key`: etcd's mvccpb.KeyValue in proto3, written by hand because every write and
 * every cold read passes here. Fields ascend and zeros are left out, so that equal pairs have equal
 * bytes on every member; a tombstone has the key only.
 */
import type { KeyValue } from '../api/index.js';
import { bytesFromLatin1, latin1FromBytes, writeLatin1 } from '../bytes/index.js';
import { isRecordKey, isTombstoneKey, mainOfRecordKey, subOfRecordKey } from './revision.js';

/** Field numbers shifted with their wire type, as they stand in the bytes. */
const TAG = {
  key: (1 << 3) | 2,
  createRevision: 2 << 3,
  modRevision: 3 << 3,
  version: 4 << 3,
  value: (5 << 3) | 2,
  lease: 6 << 3,
} as const;

/** A record that cannot be what the store wrote: the data is damaged. The message names the revision. */
export class MalformedRecordError extends Error {
  override readonly name = 'MalformedRecordError';

  constructor(recordKeyText: string, fault: string) {
    super(`record ${describeRecordKey(recordKeyText)} of bucket key is malformed: ${fault}`);
  }
}

function describeRecordKey(key: string): string {
  if (!isRecordKey(key)) return `with a key of ${key.length} bytes (${toHex(key)})`;
  const mark = isTombstoneKey(key) ? ' (tombstone)' : '';
  return `${mainOfRecordKey(key)}_${subOfRecordKey(key)}${mark}`;
}

function toHex(text: string): string {
  const digits = Array.from(text, (c) => c.charCodeAt(0).toString(16).padStart(2, '0'));
  return digits.slice(0, 24).join('');
}

/** The bytes of `pair`. The caller owns them; nothing here keeps or changes them. */
export function encodeRecord(pair: KeyValue): Uint8Array {
  const { key, value, lease } = pair;
  const leaseBits = lease === 0n ? 0n : BigInt.asUintN(64, lease);
  const target = allocate(
    textSize(key) +
      numberSize(pair.createRevision) +
      numberSize(pair.modRevision) +
      numberSize(pair.version) +
      textSize(value) +
      (leaseBits === 0n ? 0 : 1 + bigVarintSize(leaseBits)),
  );
  let offset = writeText(target, 0, TAG.key, key);
  offset = writeNumber(target, offset, TAG.createRevision, pair.createRevision);
  offset = writeNumber(target, offset, TAG.modRevision, pair.modRevision);
  offset = writeNumber(target, offset, TAG.version, pair.version);
  offset = writeText(target, offset, TAG.value, value);
  if (leaseBits !== 0n) writeBigVarint(target, offset, leaseBits);
  return target;
}

/** The bytes of a tombstone of `key`. */
export function encodeTombstone(key: string): Uint8Array {
  const target = allocate(textSize(key));
  writeText(target, 0, TAG.key, key);
  return target;
}

/**
 * The pair in `bytes`, copied out of them. `name` is the record's key, for the error.
 * Throws {@link MalformedRecordError}. Fields this version does not know are skipped.
 */
export function decodeRecord(bytes: Uint8Array, name: string): KeyValue {
  const pair: KeyValue = {
    key: '',
    createRevision: 0,
    modRevision: 0,
    version: 0,
    value: '',
    lease: 0n,
  };
  const reader = new RecordReader(bytes, name);
  while (!reader.atEnd()) readField(reader, reader.number(), pair);
  return pair;
}

/** The same with '' for its value, which is checked for its length but not copied. */
export function decodeRecordWithoutValue(bytes: Uint8Array, name: string): KeyValue {
  const pair: KeyValue = {
    key: '',
    createRevision: 0,
    modRevision: 0,
    version: 0,
    value: '',
    lease: 0n,
  };
  const reader = new RecordReader(bytes, name);
  while (!reader.atEnd()) {
    const tag = reader.number();
    if (tag === TAG.value) reader.skip(tag);
    else readField(reader, tag, pair);
  }
  return pair;
}

/** Only the user key of the record in `bytes`: what compaction and hashing ask of most records. */
export function decodeRecordUserKey(bytes: Uint8Array, name: string): string {
  const reader = new RecordReader(bytes, name);
  let key = '';
  while (!reader.atEnd()) {
    const tag = reader.number();
    if (tag === TAG.key) key = reader.text();
    else if (tag > TAG.key && bytes[0] === TAG.key) break;
    else reader.skip(tag);
  }
  return key;
}

function readField(reader: RecordReader, tag: number, pair: KeyValue): void {
  switch (tag) {
    case TAG.key:
      pair.key = reader.text();
      break;
    case TAG.createRevision:
      pair.createRevision = reader.number();
      break;
    case TAG.modRevision:
      pair.modRevision = reader.number();
      break;
    case TAG.version:
      pair.version = reader.number();
      break;
    case TAG.value:
      pair.value = reader.text();
      break;
    case TAG.lease:
      pair.lease = reader.int64();
      break;
    default:
      reader.skip(tag);
  }
}

class RecordReader {
  readonly #bytes: Uint8Array;
  readonly #name: string;
  #offset = 0;

  constructor(bytes: Uint8Array, name: string) {
    this.#bytes = bytes;
    this.#name = name;
  }

  atEnd(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  /** A varint that must be a safe, non-negative integer. */
  number(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 8; i++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (Number.isSafeInteger(value)) return value;
        break;
      }
      scale *= 0x80;
    }
    throw this.#fault('a number is above 2^53');
  }

  int64(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw this.#fault('a varint has more than 10 bytes');
  }

  text(): string {
    const start = this.#take(this.number());
    return latin1FromBytes(this.#bytes, start, this.#offset);
  }

  skip(tag: number): void {
    const wireType = tag & 7;
    if (tag < 8) throw this.#fault('a field has number 0');
    if (wireType === 0) this.int64();
    else if (wireType === 1) this.#take(8);
    else if (wireType === 2) this.#take(this.number());
    else if (wireType === 5) this.#take(4);
    else throw this.#fault(`a field has wire type ${wireType}`);
  }

  /** Moves past `count` bytes and returns where they began. */
  #take(count: number): number {
    const start = this.#offset;
    if (count > this.#bytes.length - start) {
      throw this.#fault(`${count} bytes are announced, ${this.#bytes.length - start} are left`);
    }
    this.#offset += count;
    return start;
  }

  #byte(): number {
    const byte = this.#bytes[this.#offset++];
    if (byte === undefined) throw this.#fault('it ends inside a field');
    return byte;
  }

  #fault(fault: string): MalformedRecordError {
    return new MalformedRecordError(this.#name, fault);
  }
}

function textSize(text: string): number {
  return text === '' ? 0 : 1 + varintSize(text.length) + text.length;
}

function numberSize(value: number): number {
  return value === 0 ? 0 : 1 + varintSize(value);
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

function bigVarintSize(value: bigint): number {
  let size = 1;
  for (let rest = value; rest >= 0x80n; rest >>= 7n) size++;
  return size;
}

function writeText(target: Uint8Array, offset: number, tag: number, text: string): number {
  if (text === '') return offset;
  target[offset] = tag;
  return writeLatin1(target, writeVarint(target, offset + 1, text.length), text);
}

function writeNumber(target: Uint8Array, offset: number, tag: number, value: number): number {
  if (value === 0) return offset;
  target[offset] = tag;
  return writeVarint(target, offset + 1, value);
}

function writeVarint(target: Uint8Array, start: number, value: number): number {
  let offset = start;
  let rest = value;
  while (rest >= 0x80) {
    target[offset++] = (rest & 0x7f) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  target[offset++] = rest;
  return offset;
}

function writeBigVarint(target: Uint8Array, start: number, value: bigint): void {
  let offset = start;
  target[offset++] = TAG.lease;
  let rest = value;
  while (rest >= 0x80n) {
    target[offset++] = Number(rest & 0x7fn) | 0x80;
    rest >>= 7n;
  }
  target[offset] = Number(rest);
}

/**
 * Records are cut from slabs, since small arrays of their own cost more to make than to fill. A slab
 * lives as long as any record in it, so big records get arrays of their own.
 */
const SLAB_BYTES = 32 * 1024;
const LARGEST_IN_SLAB_BYTES = 2 * 1024;
const emptySlabText = '\0'.repeat(SLAB_BYTES);
let slab = bytesFromLatin1(emptySlabText);
let slabUsed = 0;

function allocate(size: number): Uint8Array {
  if (size > LARGEST_IN_SLAB_BYTES) return new Uint8Array(size);
  if (slabUsed + size > SLAB_BYTES) {
    slab = bytesFromLatin1(emptySlabText);
    slabUsed = 0;
  }
  const start = slabUsed;
  slabUsed += size;
  return slab.subarray(start, slabUsed);
}
