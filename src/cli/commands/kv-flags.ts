/** Flags of the commands that also stand in transactions. */
import type { FlagSpec } from '../flag-set.js';

export const PUT_FLAGS: readonly FlagSpec[] = [
  { name: 'lease', kind: 'string', initial: '0', help: 'Lease to attach, in hex' },
  { name: 'prev-kv', kind: 'bool', help: 'Print the pair that was there before' },
  { name: 'ignore-value', kind: 'bool', help: 'Keep the value, change the rest' },
  { name: 'ignore-lease', kind: 'bool', help: 'Keep the lease, change the rest' },
];

export const GET_FLAGS: readonly FlagSpec[] = [
  { name: 'prefix', kind: 'bool', help: 'Keys that start with <key>' },
  { name: 'from-key', kind: 'bool', help: 'Keys at or after <key>' },
  { name: 'limit', kind: 'int', help: 'At most so many; 0 is all' },
  { name: 'rev', kind: 'int', help: 'As of this revision; 0 is now' },
  { name: 'order', kind: 'string', help: 'ASCEND or DESCEND' },
  { name: 'sort-by', kind: 'string', help: 'CREATE, KEY, MODIFY, VALUE or VERSION' },
  { name: 'keys-only', kind: 'bool', help: 'No values' },
  { name: 'count-only', kind: 'bool', help: 'Only the count (with -w fields)' },
  { name: 'print-value-only', kind: 'bool', help: 'Only values (with -w simple)' },
  {
    name: 'consistency',
    kind: 'string',
    initial: 'l',
    help: 'l: linearizable, s: serializable',
  },
  { name: 'min-create-rev', kind: 'int', help: 'Created at this revision or later' },
  { name: 'max-create-rev', kind: 'int', help: 'Created at this revision or sooner' },
  { name: 'min-mod-rev', kind: 'int', help: 'Changed at this revision or later' },
  { name: 'max-mod-rev', kind: 'int', help: 'Changed at this revision or sooner' },
];

export const DEL_FLAGS: readonly FlagSpec[] = [
  { name: 'prefix', kind: 'bool', help: 'Keys that start with <key>' },
  { name: 'from-key', kind: 'bool', help: 'Keys at or after <key>' },
  { name: 'range', kind: 'bool', help: '[range_end] is meant: no warning, no pause' },
  { name: 'prev-kv', kind: 'bool', help: 'Print the pairs that were deleted' },
];

export const WATCH_FLAGS: readonly FlagSpec[] = [
  { name: 'interactive', short: 'i', kind: 'bool', help: 'Read watch lines from stdin' },
  { name: 'prefix', kind: 'bool', help: 'Keys that start with <key>' },
  { name: 'rev', kind: 'int', help: 'From this revision on; 0 is now' },
  { name: 'prev-kv', kind: 'bool', help: 'Print the pair before each event' },
  { name: 'progress-notify', kind: 'bool', help: 'Ask for word when all is quiet' },
];
