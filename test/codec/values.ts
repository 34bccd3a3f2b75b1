/** Byte arrays of either class as hex, so that values compare by content. */
export function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes ${hex(value)}`;
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Bytes written in hex; blanks are for the reader. */
export function bytes(text: string): Uint8Array {
  return Buffer.from(text.replaceAll(' ', ''), 'hex');
}
