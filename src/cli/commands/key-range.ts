/** Keys and ranges as the flags --prefix and --from-key mean them. */
import { badArgs } from '../exit.js';

export interface KeyRange {
  key: string;
  rangeEnd: string;
}

/** As a range end: everything from the key on. As a key: the first of all. */
const ZERO = '\0';

/**
 * The range that a key argument, an optional end and the two flags describe. The empty key with
 * either flag means all keys. Refuses contradictions.
 */
export function keyRange(
  args: readonly string[],
  flags: { prefix: boolean; fromKey: boolean },
): KeyRange {
  const [key = '', rangeEnd = ''] = args;
  if (flags.prefix && flags.fromKey) {
    throw badArgs('`--prefix` and `--from-key` cannot be set at the same time, choose one');
  }
  if (!flags.prefix && !flags.fromKey) return { key, rangeEnd };
  if (args.length > 1) {
    throw badArgs(
      'too many arguments, only accept one argument when `--prefix` or `--from-key` is set',
    );
  }
  if (key === '') return { key: ZERO, rangeEnd: ZERO };
  return { key, rangeEnd: flags.prefix ? prefixEnd(key) : ZERO };
}

/** The first key after all that start with `prefix` (not empty). */
export function prefixEnd(prefix: string): string {
  const at = prefix.search(/[^\xff]\xff*$/);
  if (at < 0) return ZERO;
  return prefix.slice(0, at) + String.fromCharCode(prefix.charCodeAt(at) + 1);
}
