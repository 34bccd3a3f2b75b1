/**
 * Bytes as one-byte strings.
 *
 * Keys and values are bytes. In memory they are latin1 strings: one character per byte (code 0 to
 * 255). Such strings compare in byte order, hash fast, are immutable (so nothing can alias a network
 * buffer), and take one byte per character in V8.
 */
import { Buffer } from 'node:buffer';

/** The bytes `source[start, end)` as a latin1 string. Copies: the source may be reused at once. */
export function latin1FromBytes(source: Uint8Array, start = 0, end = source.length): string {
  if (start >= end) return '';
  return asBuffer(source).latin1Slice(start, end);
}

/** The bytes of a latin1 string. A character above 255 loses its high byte: callers never have one. */
export function bytesFromLatin1(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

/** Writes `text` at `offset` and returns the offset after it. The target must have room. */
export function writeLatin1(target: Uint8Array, offset: number, text: string): number {
  return offset + asBuffer(target).latin1Write(text, offset, text.length);
}

/** UTF-8 text (a command line argument, say) to the latin1 string that holds its bytes. */
export function latin1FromUtf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The bytes in a latin1 string read as UTF-8; malformed sequences become U+FFFD. */
export function utf8FromLatin1(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}

interface LatinBuffer extends Uint8Array {
  latin1Slice(start?: number, end?: number): string;
  latin1Write(text: string, offset: number, length: number): number;
}

function asBuffer(bytes: Uint8Array): LatinBuffer {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer as unknown as LatinBuffer;
}
