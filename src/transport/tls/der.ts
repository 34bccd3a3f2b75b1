/**
 * DER (X.690), as much of it as certificates and revocation lists need: values are bytes, and a
 * function makes each kind.
 */

export const Tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const;

/** Any element: its tag, length and content. */
export function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

function lengthOf(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes]);
  const digits = bigEndian(BigInt(bytes));
  return Buffer.concat([Buffer.from([0x80 | digits.length]), digits]);
}

function bigEndian(value: bigint): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}

export function sequence(...items: readonly Uint8Array[]): Buffer {
  return element(Tag.sequence, ...items);
}

export function set(...items: readonly Uint8Array[]): Buffer {
  return element(Tag.set, ...items);
}

/** Not below 0. */
export function integer(value: bigint): Buffer {
  const digits = bigEndian(value);
  const padding = digits[0]! >= 0x80 ? [Buffer.from([0])] : [];
  return element(Tag.integer, ...padding, digits);
}

export function boolean(value: boolean): Buffer {
  return element(Tag.boolean, Buffer.from([value ? 0xff : 0]));
}

/** From its usual form: `2.5.4.3`. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(Tag.objectId, ...[first * 40 + second, ...rest].map(base128));
}

function base128(value: number): Buffer {
  const digits = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) {
    digits.unshift(0x80 | (left % 128));
  }
  return Buffer.from(digits);
}

export function utf8String(text: string): Buffer {
  return element(Tag.utf8String, Buffer.from(text, 'utf8'));
}

export function octetString(...content: readonly Uint8Array[]): Buffer {
  return element(Tag.octetString, ...content);
}

/** `unusedBits` are the last bits of the last byte. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return element(Tag.bitString, Buffer.from([unusedBits]), bytes);
}

/** In whole seconds; RFC 5280 wants two-digit years until 2049. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050
    ? element(Tag.utcTime, Buffer.from(digits.slice(2), 'latin1'))
    : element(Tag.generalizedTime, Buffer.from(digits, 'latin1'));
}

/** `[number]` around a whole element. */
export function explicit(number: number, item: Uint8Array): Buffer {
  return element(0xa0 | number, item);
}

/** `[number]` in the place of a primitive element's own tag. */
export function implicit(number: number, content: Uint8Array): Buffer {
  return element(0x80 | number, content);
}

/** One element as it was read. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

/** The elements that `bytes` are made of. Throws an Error when they are none. */
export function readElements(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  let at = 0;
  while (at < bytes.length) {
    const { length, begin } = readLength(bytes, at + 1);
    const end = begin + length;
    if (end > bytes.length) throw new Error('an element is cut off');
    elements.push({ tag: bytes[at]!, content: bytes.subarray(begin, end) });
    at = end;
  }
  return elements;
}

function readLength(bytes: Buffer, at: number): { length: number; begin: number } {
  const first = bytes[at];
  if (first === undefined) throw new Error('an element is cut off');
  if (first < 0x80) return { length: first, begin: at + 1 };
  const digits = first & 0x7f;
  if (digits === 0 || digits > 4 || at + 1 + digits > bytes.length) {
    throw new Error('a length is malformed');
  }
  return { length: bytes.readUIntBE(at + 1, digits), begin: at + 1 + digits };
}
