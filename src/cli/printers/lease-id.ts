/** Go's `%016x` of a lease id: padded with zeros, a negative id with its sign in front. */
export function leaseId(id: bigint): string {
  return id < 0n ? `-${(-id).toString(16).padStart(15, '0')}` : id.toString(16).padStart(16, '0');
}
