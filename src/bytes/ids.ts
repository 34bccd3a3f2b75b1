/**
 * 64-bit ids as text. Member and cluster ids are uint64, lease ids int64; both print as etcd prints
 * them: lower-case hex of the 64 bits without leading zeros.
 */
const U64 = (1n << 64n) - 1n;

/** `%x` of a 64-bit id; a negative lease id prints as its two's complement. */
export function hexId(id: bigint): string {
  return (id & U64).toString(16);
}

/** `%016x`: zero-padded to 16 digits. */
export function hexIdPadded(id: bigint): string {
  return hexId(id).padStart(16, '0');
}

/** The uint64 written in hex (1 to 16 digits, either case), or undefined when `text` is not that. */
export function parseHexId(text: string): bigint | undefined {
  return /^[0-9a-fA-F]{1,16}$/.test(text) ? BigInt('0x' + text) : undefined;
}

/** The int64 with the same 64 bits as the uint64 `id`. */
export function signedId(id: bigint): bigint {
  return BigInt.asIntN(64, id);
}
