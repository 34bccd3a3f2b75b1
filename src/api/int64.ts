/**
 * An int64 or uint64 as it came from a client: a number when it is a safe integer, else a bigint.
 * Both forms compare exactly with `<` and `>`, also with each other; use {@link compareInt64} for
 * equality. Revisions, indexes and terms that the store itself makes are always numbers (2^53 is past
 * any real history); ids of members, clusters and leases are always bigints.
 */
export type Int64 = number | bigint;

/** The shortest form of a 64-bit integer: a number when it is safe, else the bigint. */
export function int64FromBigint(value: bigint): Int64 {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** Negative, zero or positive as a < b, a = b or a > b; exact for every mix of forms. */
export function compareInt64(a: Int64, b: Int64): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
