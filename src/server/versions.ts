/**
 * The etcd version this server is compatible with: what clients and peers parse (three plain numbers),
 * and what decides whether a member may join. Our own version stands beside it where people look.
 */
export const SERVER_VERSION = '3.6.16';

/** Lowest cluster version whose peers this member can talk to. */
export const MIN_CLUSTER_VERSION = '3.0.0';

/** Schema of the keyspace buckets (meta/storageVersion). */
export const STORAGE_VERSION = '3.6.0';

/** `x.y.0` of a version, the form in which cluster versions are stored; undefined if it isn't x.y.z. */
export function majorMinor(version: string): string | undefined {
  const match = /^(\d+)\.(\d+)\.\d+/.exec(version);
  return match === null ? undefined : `${match[1]}.${match[2]}.0`;
}

/** Negative, zero or positive as version a is older than, like or newer than b (x.y.z each). */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = left![i]! - right![i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}
