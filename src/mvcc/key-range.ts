/** etcd's key ranges as half-open intervals of latin1 strings. */

/** Above every key: latin1 strings have no character past 0xff. */
export const ABOVE_ALL_KEYS = '\u0100';

/**
 * The exclusive end of the range that `key` and `rangeEnd` name: '' is the single key, '\0' everything
 * from `key` on. At or below `key` it means that the range is empty, which is no error.
 */
export function endOfRange(key: string, rangeEnd: string): string {
  if (rangeEnd === '') return key + '\0';
  return rangeEnd === '\0' ? ABOVE_ALL_KEYS : rangeEnd;
}
