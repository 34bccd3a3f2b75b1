/**
 * The protobuf wire format: a reader and a writer that know varints, lengths and nothing else.
 *
 * Every codec in this room is a pair of plain functions over these two classes. That one mechanism
 * serves for everything: it goes straight between bytes and our own types (latin1 strings, bigint
 * ids, exact 64-bit integers), with no object in between, and is faster than the generated code,
 * which stays the independent twin that the tests compare with (src/gen).
 */
import { Buffer } from 'node:buffer';
import { InvariantError, type Int64 } from '../api/index.js';

/** The bytes are not the protobuf message that they should be. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

const WireType = { varint: 0, fixed64: 1, length: 2, startGroup: 3, endGroup: 4, fixed32: 5 };

/**
 * Messages inside messages, at most. etcd's limit on nested transactions is their budget of
 * operations (128 by default, and a transaction is two messages deep); this one only keeps hostile
 * bytes off the end of the stack.
 */
const MAX_DEPTH = 1000;

const TWO_32 = 4294967296;
const words = new DataView(new ArrayBuffer(8));

/** Methods that the Node types leave out. */
interface NodeBuffer extends Buffer {
  latin1Slice(start: number, end: number): string;
  utf8Slice(start: number, end: number): string;
  latin1Write(text: string, offset: number, length: number): number;
  utf8Write(text: string, offset: number, length: number): number;
}

/**
 * Walks one message: `while (r.next()) switch (r.field)`, and in each case exactly one read. Reads
 * check the wire type as etcd does: a known field with another type is an error, not an unknown
 * field. Fields that a message does not know are passed over with {@link Reader.skip}. Nothing is
 * read past the message's end; whatever is wrong throws {@link DecodeError}.
 */
export class Reader {
  /** Number of the field that {@link Reader.next} stands on. */
  field = 0;
  private wireType = 0;
  private position = 0;
  private limit: number;
  private depth = 0;
  private readonly source: NodeBuffer;
  /** The two halves of the varint read last, unsigned. */
  private low = 0;
  private high = 0;

  constructor(source: Uint8Array) {
    this.source = asBuffer(source);
    this.limit = source.length;
  }

  /** Moves to the next field; false at the end of the message. */
  next(): boolean {
    if (this.position >= this.limit) return false;
    const tag = this.varint32();
    this.wireType = tag & 7;
    this.field = tag >>> 3;
    if (this.field === 0) throw new DecodeError('field number 0');
    return true;
  }

  bool(): boolean {
    this.readVarint();
    return (this.low | this.high) !== 0;
  }

  /** int32 and enums: the low 32 bits, signed. */
  int32(): number {
    this.readVarint();
    return this.low | 0;
  }

  uint32(): number {
    this.readVarint();
    return this.low >>> 0;
  }

  /** int64 that may be anything: what clients send. */
  int64(): Int64 {
    this.readVarint();
    if (this.high === 0) return this.low;
    const value = (this.high | 0) * TWO_32 + this.low;
    return Number.isSafeInteger(value) ? value : this.signedBigint();
  }

  /** int64 that names a lease or a watch. */
  int64Bigint(): bigint {
    this.readVarint();
    return this.high === 0 ? smallBigint(this.low) : this.signedBigint();
  }

  /** uint64 that names a member, a cluster or a request. */
  uint64Bigint(): bigint {
    this.readVarint();
    if (this.high === 0) return smallBigint(this.low);
    this.storeWords();
    return words.getBigUint64(0, true);
  }

  /** int64 that a store made (revision, ttl, count, size): beyond 2^53 is refused, not rounded. */
  safeInt64(): number {
    this.readVarint();
    if (this.high === 0) return this.low;
    return safe((this.high | 0) * TWO_32 + this.low);
  }

  /** uint64 that a member made (index, term): beyond 2^53 is refused, not rounded. */
  safeUint64(): number {
    this.readVarint();
    if (this.high === 0) return this.low;
    return safe(this.high * TWO_32 + this.low);
  }

  /** bytes, as a latin1 string (a copy). */
  latin1(): string {
    const start = this.lengthDelimited();
    return start === this.position ? '' : this.source.latin1Slice(start, this.position);
  }

  /** bytes, as a view of the message: it keeps the whole message alive. */
  view(): Uint8Array {
    const start = this.lengthDelimited();
    return start === this.position ? NO_BYTES : this.source.subarray(start, this.position);
  }

  /** string. Malformed UTF-8 reads as U+FFFD: etcd's generated code does not check it either. */
  string(): string {
    const start = this.lengthDelimited();
    if (start === this.position) return '';
    return this.source.utf8Slice(start, this.position);
  }

  /** A message field. Of several, the last counts (they are not merged). */
  message<T>(read: (reader: Reader) => T): T {
    const start = this.lengthDelimited();
    if (this.depth === MAX_DEPTH) throw new DecodeError(`nested deeper than ${MAX_DEPTH}`);
    const end = this.position;
    const outerLimit = this.limit;
    this.position = start;
    this.limit = end;
    this.depth++;
    const value = read(this);
    this.depth--;
    this.limit = outerLimit;
    return value;
  }

  /** One or, packed, several elements of a repeated scalar; `read` reads one. */
  repeated<T>(into: T[], read: (reader: Reader) => T): void {
    if (this.wireType !== WireType.length) {
      into.push(read(this));
      return;
    }
    const start = this.lengthDelimited();
    const end = this.position;
    const outerLimit = this.limit;
    this.position = start;
    this.limit = end;
    this.wireType = WireType.varint;
    while (this.position < end) into.push(read(this));
    this.limit = outerLimit;
  }

  /** Passes over the field that {@link Reader.next} stands on. */
  skip(): void {
    switch (this.wireType) {
      case WireType.varint:
        this.readVarint();
        return;
      case WireType.fixed64:
        return this.advance(8);
      case WireType.length:
        this.lengthDelimited();
        return;
      case WireType.startGroup:
        return this.skipGroup();
      case WireType.fixed32:
        return this.advance(4);
      default:
        throw new DecodeError(`wire type ${this.wireType} in field ${this.field}`);
    }
  }

  /** Groups within groups are counted, not recursed into. */
  private skipGroup(): void {
    for (let open = 1; open > 0;) {
      if (!this.next()) throw new DecodeError('group without an end');
      if (this.wireType === WireType.startGroup) open++;
      else if (this.wireType === WireType.endGroup) open--;
      else this.skip();
    }
  }

  /** Steps over a length and what it covers; returns where that starts, `position` is its end. */
  private lengthDelimited(): number {
    if (this.wireType !== WireType.length) this.wrongWireType();
    const length = this.varint32();
    const start = this.position;
    this.advance(length);
    return start;
  }

  private advance(count: number): void {
    if (count > this.limit - this.position) this.truncated();
    this.position += count;
  }

  /** A varint that must fit 32 bits: a tag or a length. */
  private varint32(): number {
    if (this.position < this.limit) {
      const first = this.source[this.position]!;
      if (first < 0x80) {
        this.position++;
        return first;
      }
    }
    this.readHalves();
    if (this.high !== 0) throw new DecodeError('tag or length beyond 32 bits');
    return this.low;
  }

  private readVarint(): void {
    if (this.wireType !== WireType.varint) this.wrongWireType();
    if (this.position < this.limit) {
      const first = this.source[this.position]!;
      if (first < 0x80) {
        this.position++;
        this.low = first;
        this.high = 0;
        return;
      }
    }
    this.readHalves();
  }

  /** Bytes 0 to 4 make up the low half, 4 to 9 the high one; bits beyond the 64th are dropped. */
  private readHalves(): void {
    let low = 0;
    let high = 0;
    for (let i = 0; i < 10; i++) {
      if (this.position >= this.limit) this.truncated();
      const byte = this.source[this.position++]!;
      const bits = byte & 0x7f;
      if (i < 4) low |= bits << (7 * i);
      else if (i === 4) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (7 * i - 32);
      if (byte < 0x80) {
        this.low = low >>> 0;
        this.high = high >>> 0;
        return;
      }
    }
    throw new DecodeError('varint longer than 10 bytes');
  }

  private signedBigint(): bigint {
    this.storeWords();
    return words.getBigInt64(0, true);
  }

  private storeWords(): void {
    words.setUint32(0, this.low, true);
    words.setUint32(4, this.high, true);
  }

  private wrongWireType(): never {
    throw new DecodeError(`wire type ${this.wireType} in field ${this.field}`);
  }

  private truncated(): never {
    throw new DecodeError('message ends within a field');
  }
}

function asBuffer(bytes: Uint8Array): NodeBuffer {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer as NodeBuffer;
}

const NO_BYTES: Uint8Array = new Uint8Array(0);

function smallBigint(value: number): bigint {
  return value === 0 ? 0n : BigInt(value);
}

function safe(value: number): number {
  if (!Number.isSafeInteger(value)) throw new DecodeError(`integer beyond 2^53: about ${value}`);
  return value;
}

/** Small messages share chunks of this many bytes, as in Node's own pool. */
const CHUNK_BYTES = 8192;

/**
 * Builds one message at a time, **from its end to its start**: then a nested message's length is
 * known when it is due, and nothing is measured beforehand or moved afterwards. So codecs write the
 * field with the highest number first, and lists from the last element to the first; the bytes come
 * out in ascending order, as etcd writes them.
 *
 * The plain methods leave out a zero value, as proto3 does; those called `always…` write it, as
 * etcd's proto2 messages and the members of a oneof do. Integers must be whole and safe (checked) or
 * bigints, whose low 64 bits are written.
 */
export class Writer {
  private buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES) as NodeBuffer;
  /** Free room ends, and the message in work will end, here. */
  private end = CHUNK_BYTES;
  /** Where the message in work starts so far. */
  private start = CHUNK_BYTES;

  /** Everything that `write` writes, as bytes of their own. Not for use within itself. */
  encode<T>(value: T, write: (writer: Writer, value: T) => void): Uint8Array {
    this.start = this.end;
    write(this, value);
    return this.finish();
  }

  /** Where the next field will end: remember it, write a message's fields, then call `message`. */
  mark(): number {
    return this.end - this.start;
  }

  /** Closes the message whose fields were written since `mark`. */
  message(field: number, mark: number): void {
    this.length(field, this.mark() - mark);
  }

  bool(field: number, value: boolean): void {
    if (value) this.alwaysBool(field, value);
  }

  alwaysBool(field: number, value: boolean): void {
    this.reserve(11);
    this.buffer[--this.start] = value ? 1 : 0;
    this.tag(field, WireType.varint);
  }

  /** int32, uint32, int64, uint64 or an enum, by value: negative ones as 64-bit two's complement. */
  integer(field: number, value: Int64): void {
    if (value !== 0 && value !== 0n) this.alwaysInteger(field, value);
  }

  alwaysInteger(field: number, value: Int64): void {
    this.reserve(20);
    if (typeof value === 'bigint') this.bigintVarint(value);
    else if (value >= 0 && value < 0x80 && Number.isInteger(value)) {
      this.buffer[--this.start] = value;
    } else this.numberVarint(value);
    this.tag(field, WireType.varint);
  }

  /** One element of a packed field: elements between a mark and {@link Writer.message}. */
  element(value: number): void {
    this.reserve(20);
    this.numberVarint(value);
  }

  /** bytes, from a latin1 string. */
  latin1(field: number, text: string): void {
    if (text !== '') this.alwaysLatin1(field, text);
  }

  alwaysLatin1(field: number, text: string): void {
    const length = text.length;
    this.reserve(length + 20);
    this.start -= length;
    this.buffer.latin1Write(text, this.start, length);
    this.length(field, length);
  }

  /** bytes. */
  bytes(field: number, bytes: Uint8Array): void {
    if (bytes.length > 0) this.alwaysBytes(field, bytes);
  }

  alwaysBytes(field: number, bytes: Uint8Array): void {
    this.raw(bytes);
    this.length(field, bytes.length);
  }

  string(field: number, text: string): void {
    if (text !== '') this.alwaysString(field, text);
  }

  alwaysString(field: number, text: string): void {
    const length = Buffer.byteLength(text, 'utf8');
    this.reserve(length + 20);
    this.start -= length;
    this.buffer.utf8Write(text, this.start, length);
    this.length(field, length);
  }

  /** Bytes that are encoded fields already. */
  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length + 20);
    this.start -= bytes.length;
    this.buffer.set(bytes, this.start);
  }

  private length(field: number, length: number): void {
    this.reserve(20);
    if (length < 0x80) this.buffer[--this.start] = length;
    else this.varint(length, 0);
    this.tag(field, WireType.length);
  }

  private tag(field: number, wireType: number): void {
    const tag = (field << 3) | wireType;
    if (tag < 0x80) this.buffer[--this.start] = tag;
    else this.varint(tag, 0);
  }

  private numberVarint(value: number): void {
    if (!Number.isSafeInteger(value)) notSafe(value);
    const high = Math.floor(value / TWO_32);
    this.varint((value - high * TWO_32) >>> 0, high >>> 0);
  }

  private bigintVarint(value: bigint): void {
    words.setBigUint64(0, value, true);
    this.varint(words.getUint32(0, true), words.getUint32(4, true));
  }

  /** Room was reserved. */
  private varint(low: number, high: number): void {
    let at = this.start - varintBytes(low, high);
    this.start = at;
    const buffer = this.buffer;
    while (high !== 0) {
      buffer[at++] = (low & 0x7f) | 0x80;
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    while (low >= 0x80) {
      buffer[at++] = (low & 0x7f) | 0x80;
      low >>>= 7;
    }
    buffer[at] = low;
  }

  private reserve(count: number): void {
    if (this.start < count) this.grow(count);
  }

  /** Moves the message in work to the end of a larger chunk, or of a fresh one if it is small. */
  private grow(count: number): void {
    const used = this.end - this.start;
    const wanted = used + count;
    const size = wanted * 2 <= CHUNK_BYTES ? CHUNK_BYTES : wanted * 2;
    const next = Buffer.allocUnsafeSlow(size) as NodeBuffer;
    next.set(this.buffer.subarray(this.start, this.end), size - used);
    this.buffer = next;
    this.end = size;
    this.start = size - used;
  }

  private finish(): Uint8Array {
    const { buffer, start, end } = this;
    if (buffer.length === CHUNK_BYTES) {
      this.end = start;
      return buffer.subarray(start, end);
    }
    // A large message: exactly its own bytes, and back to small chunks.
    const exact = Buffer.allocUnsafeSlow(end - start);
    exact.set(buffer.subarray(start, end));
    this.buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES) as NodeBuffer;
    this.end = CHUNK_BYTES;
    return exact;
  }
}

function notSafe(value: number): never {
  throw new InvariantError(`not a safe integer: ${value}`);
}

function varintBytes(low: number, high: number): number {
  if (high === 0) {
    return low < 0x80 ? 1 : low < 0x4000 ? 2 : low < 0x200000 ? 3 : low < 0x10000000 ? 4 : 5;
  }
  const bits = 64 - Math.clz32(high);
  return Math.ceil(bits / 7);
}
