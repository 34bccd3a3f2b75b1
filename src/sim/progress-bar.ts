/** How far a run of many seeds is, on one line of a terminal. */
import type { SeedTotals } from './run-seeds.js';

const WIDTH = 30;

/** `share`: 0 to 1. */
export function progressLine(totals: SeedTotals, share: number): string {
  const done = Math.round(Math.min(1, share) * WIDTH);
  const bar = '#'.repeat(done) + '-'.repeat(WIDTH - done);
  return `[${bar}] ${totals.seeds} seeds, ${totals.failures} failed, ${ratioText(totals)}`;
}

/** Virtual seconds a wall second. */
export function ratioText({ virtualMs, wallMs }: SeedTotals): string {
  return `${(virtualMs / Math.max(1, wallMs)).toFixed(0)} virtual seconds a second`;
}

export function summary(totals: SeedTotals): string {
  const { seeds, failures, virtualMs, wallMs, operations, entries, undecided } = totals;
  const minutes = (ms: number) => `${(ms / 60_000).toFixed(1)} min`;
  return [
    `${seeds} seeds, ${failures} failed`,
    `${operations} operations done, ${entries} entries committed, ${undecided} keys undecided`,
    `virtual time ${minutes(virtualMs)}, wall time ${minutes(wallMs)}, ${ratioText(totals)}`,
  ].join('\n');
}
