/** Sizes as etcdctl prints them: SI units, one digit after the point below ten. */
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];

/** `25 kB`, `2.1 GB`. `bytes` is 0 or more. */
export function humanizeBytes(bytes: number): string {
  if (bytes < 10) return `${bytes} B`;
  const exponent = Math.min(Math.floor(Math.log(bytes) / Math.log(1000)), UNITS.length - 1);
  const value = Math.floor((bytes / 1000 ** exponent) * 10 + 0.5) / 10;
  return `${value < 10 ? value.toFixed(1) : roundHalfEven(value)} ${UNITS[exponent]}`;
}

/** Go's %.0f rounds a half to the even neighbour. */
function roundHalfEven(value: number): number {
  const below = Math.floor(value);
  if (value - below !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}
