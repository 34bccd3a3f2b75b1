/** What a codec is, and how one is made from a pair of functions. */
import { Reader, Writer } from './wire.js';

/** A message's bytes and back. Both ways are synchronous and keep no hold on their argument's parts. */
export interface Codec<T> {
  /** Bytes of their own, in ascending field order. Throws InvariantError on an unsafe integer. */
  encode(value: T): Uint8Array;
  /**
   * Absent fields read as zero, unknown ones are skipped. Throws DecodeError on anything that is not
   * the message. `Uint8Array` members of the result are views of `bytes`, which the caller must not
   * change afterwards; strings are copies.
   */
  decode(bytes: Uint8Array): T;
}

/** Writes the fields of a value, last field first (see {@link Writer}). */
export type WriteMessage<T> = (writer: Writer, value: T) => void;
/** Reads fields to the end of the message. */
export type ReadMessage<T> = (reader: Reader) => T;

const writer = new Writer();

/** What `write` makes of `value`, as bytes of their own. */
export function encode<T>(value: T, write: WriteMessage<T>): Uint8Array {
  return writer.encode(value, write);
}

export function codec<T>(write: WriteMessage<T>, read: ReadMessage<T>): Codec<T> {
  return {
    encode: (value) => writer.encode(value, write),
    decode: (bytes) => read(new Reader(bytes)),
  };
}

/** Writes a message field. */
export function writeMessage<T>(w: Writer, field: number, value: T, write: WriteMessage<T>): void {
  const mark = w.mark();
  write(w, value);
  w.message(field, mark);
}

/** Writes a message field unless it is absent. */
export function writeOptional<T>(
  w: Writer,
  field: number,
  value: T | undefined,
  write: WriteMessage<T>,
): void {
  if (value !== undefined) writeMessage(w, field, value, write);
}

/** Writes a repeated message field. */
export function writeEach<T>(
  w: Writer,
  field: number,
  values: readonly T[],
  write: WriteMessage<T>,
): void {
  for (let i = values.length - 1; i >= 0; i--) writeMessage(w, field, values[i]!, write);
}

/** Writes a repeated string field. */
export function writeStrings(w: Writer, field: number, values: readonly string[]): void {
  for (let i = values.length - 1; i >= 0; i--) w.alwaysString(field, values[i]!);
}

/** A request without fields. */
export type EmptyMessage = Record<string, never>;

function readEmpty(r: Reader): EmptyMessage {
  while (r.next()) r.skip();
  return {};
}

/** For every request that carries nothing. */
export const emptyMessage: Codec<EmptyMessage> = codec(() => {}, readEmpty);
