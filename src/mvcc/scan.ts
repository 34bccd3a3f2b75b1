/** Reading bucket `key` from end to end without holding much of it or the turn for long. */
import type { Backend, Pair } from '../backend/index.js';
import { MalformedRecordError } from './record.js';
import { isRecordKey } from './revision.js';

/** Lets other work run: resolves in a later turn of the event loop. */
export type YieldTurn = () => Promise<void>;

const SLICE_BYTES = 256 * 1024;
const LARGEST_SLICE = 500;
const FIRST_SLICE = 64;

/**
 * The records of [from, to) in slices of about 256 KiB, at most 500 records: what is read, decoded and
 * dropped in one turn. Each slice is as of the moment it is asked for. A key that is no record key
 * throws {@link MalformedRecordError}.
 */
export async function* scanRecords(
  backend: Pick<Backend, 'scan'>,
  from: string,
  to: string | undefined,
): AsyncGenerator<readonly Pair[], void, void> {
  let limit = FIRST_SLICE;
  let next = from;
  for (;;) {
    const slice = await backend.scan('key', {
      from: next,
      ...(to === undefined ? {} : { to }),
      limit,
    });
    const bytes = checkedBytes(slice);
    if (slice.length > 0) yield slice;
    if (slice.length < limit) return;
    next = slice.at(-1)![0] + '\0';
    const average = Math.max(1, bytes / slice.length);
    limit = Math.min(LARGEST_SLICE, Math.max(1, Math.floor(SLICE_BYTES / average)));
  }
}

function checkedBytes(slice: readonly Pair[]): number {
  let bytes = 0;
  for (const [key, value] of slice) {
    if (!isRecordKey(key)) throw new MalformedRecordError(key, 'its key is no revision');
    bytes += value.length;
  }
  return bytes;
}
