/** HTTP/2 frames and HPACK fields, put together by hand. */
import { huffmanEncode } from '../../../src/grpc/http2/huffman.js';

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

export const HEADERS = 1;
export const END_HEADERS = 4;
export const PADDED = 8;
export const PRIORITY = 0x20;

export function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

const none = Buffer.alloc(0);
export const settings = frame(4, 0, 0, none);
export const settingsAck = frame(4, 1, 0, none);
export const windowUpdate = frame(8, 0, 0, Buffer.from([0, 1, 0, 0]));
export const priority = frame(2, 0, 3, Buffer.from([0, 0, 0, 0, 9]));
export const ping = frame(6, 0, 0, Buffer.from('12345678'));

export function headers(block: Uint8Array, stream = 1): Buffer {
  return frame(HEADERS, END_HEADERS, stream, block);
}

/** A gRPC message that ends its stream. */
export function lastMessage(text: string, stream = 1): Buffer {
  const message = Buffer.alloc(5 + text.length);
  message.writeUInt32BE(text.length, 1);
  message.write(text, 5, 'latin1');
  return frame(0, 1, stream, message);
}

/** RFC 7541, section 5.1, for values below 2^14 or so. */
function integer(pattern: number, prefixBits: number, value: number): Buffer {
  const limit = 2 ** prefixBits - 1;
  if (value < limit) return Buffer.from([pattern | value]);
  const octets = [pattern | limit];
  let rest = value - limit;
  for (; rest >= 128; rest = Math.floor(rest / 128)) octets.push((rest % 128) | 128);
  return Buffer.from([...octets, rest]);
}

export function indexed(index: number): Buffer {
  return integer(0x80, 7, index);
}

export function tableSize(bytes: number): Buffer {
  return integer(0x20, 5, bytes);
}

export function string(text: string, huffman = false): Buffer {
  const octets = huffman ? huffmanEncode(text) : Buffer.from(text, 'latin1');
  return Buffer.concat([integer(huffman ? 0x80 : 0, 7, octets.length), octets]);
}

/** The three ways to spell a field out: the pattern of the first octet and how much of it is index. */
export const literalKinds = {
  withIndexing: [0x40, 6],
  withoutIndexing: [0, 4],
  neverIndexed: [0x10, 4],
} as const;

export type LiteralKind = keyof typeof literalKinds;

/** `name` is spelt out or an index. */
export function literal(
  name: number | string,
  value: string,
  kind: LiteralKind = 'withIndexing',
  huffman = false,
): Buffer {
  const [pattern, prefixBits] = literalKinds[kind];
  const index = integer(pattern, prefixBits, typeof name === 'number' ? name : 0);
  const spelt = typeof name === 'number' ? none : string(name, huffman);
  return Buffer.concat([index, spelt, string(value, huffman)]);
}

/** Of a call as grpc-go writes it; the authority may be an index. */
export function callBlock(path: string, authority: string | number, huffman = true): Buffer {
  return Buffer.concat([
    indexed(3),
    indexed(6),
    literal(4, path, 'withoutIndexing', huffman),
    typeof authority === 'number'
      ? indexed(authority)
      : literal(1, authority, 'withIndexing', huffman),
    literal('content-type', 'application/grpc', 'withoutIndexing', huffman),
    literal('te', 'trailers', 'withoutIndexing', huffman),
  ]);
}
