import type { Line } from '../harness/line.js';
import { compaction } from './compaction.js';
import { keyspaceSize } from './keyspace-size.js';
import { largeRange } from './large-range.js';
import { expiry, keepAlives } from './leases.js';
import { snapshot } from './snapshot.js';
import { watchBehind } from './watch-behind.js';
import { watchManyKeys, watchOneKey } from './watch-fan-out.js';

/** How both servers bear what is large: keys, watchers, leases, history, answers. */
export const SCALE_LINES: readonly Line[] = [
  keyspaceSize,
  watchOneKey,
  watchManyKeys,
  watchBehind,
  keepAlives,
  expiry,
  compaction,
  largeRange,
  snapshot,
];
