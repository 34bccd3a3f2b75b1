/** Watching from inside: an async iterator over the revisions that changed something. */
import {
  type Event,
  type EtcdError,
  type WatchResponse,
  Code,
  etcdError,
  statusError,
} from '../api/index.js';
import type { Services } from '../server/index.js';
import { LOCAL_CALL } from './local-call.js';
import { Pair, prefixEnd } from './pair.js';

export interface WatchOptions {
  /** Everything that begins with the key, not just the key. */
  prefix?: boolean;
  /** Begin with the changes of this revision; after the current one by default. */
  startRevision?: number;
  /** Also give the pair as it was before. */
  prevKv?: boolean;
}

export interface WatchChange {
  type: 'put' | 'delete';
  /** After a delete: key and revision only. */
  pair: Pair;
  previous?: Pair;
}

/** The changes of one or several revisions, whole revisions always, in order. */
export interface WatchEvents extends AsyncIterable<{ revision: number; changes: WatchChange[] }> {
  /** Ends the watch; a loop over it ends too. */
  close(): void;
}

/** Answers that may wait for the reader; then the watch pauses, and reads on from the store later. */
const MAX_QUEUED = 64;

/**
 * Rejects in the loop with an EtcdError: `compacted` when the start is gone, `stopped` when the store
 * closes.
 */
export function watchLocally(
  service: Services['watch'],
  key: string,
  options: WatchOptions,
): WatchEvents {
  const queue: { revision: number; changes: WatchChange[] }[] = [];
  let failure: EtcdError | undefined;
  let closed = false;
  let wake = () => {};
  let drained = () => {};
  const reader = service.open(
    {
      respond: (head, batch) => {
        if (head.canceled) failure ??= failureOf(head);
        if (batch !== undefined) queue.push(changesOf(head, batch.events));
        wake();
        return queue.length < MAX_QUEUED;
      },
      onDrain: (action) => (drained = action),
      end: (error) => {
        failure ??= error ?? etcdError('watchCanceled');
        wake();
      },
    },
    LOCAL_CALL,
  );
  const prefix = options.prefix === true;
  void reader.message({
    kind: 'create',
    request: {
      key: prefix && key === '' ? '\0' : key,
      rangeEnd: prefix ? prefixEnd(key) : '',
      startRevision: options.startRevision ?? 0,
      progressNotify: false,
      filters: [],
      prevKv: options.prevKv ?? false,
      watchId: 0n,
      fragment: false,
    },
  });
  const close = () => {
    if (closed) return;
    closed = true;
    reader.cancel();
    wake();
  };
  return { close, [Symbol.asyncIterator]: iterate };

  async function* iterate() {
    try {
      while (!closed) {
        const next = queue.shift();
        if (next !== undefined) {
          if (queue.length === MAX_QUEUED / 2) drained();
          yield next;
        } else if (failure !== undefined) {
          throw failure;
        } else {
          await new Promise<void>((resolve) => (wake = resolve));
        }
      }
    } finally {
      close();
    }
  }
}

function failureOf(head: WatchResponse): EtcdError {
  if (head.compactRevision > 0) return etcdError('compacted');
  return statusError(Code.canceled, head.cancelReason);
}

function changesOf(head: WatchResponse, events: readonly Event[]) {
  const changes = events.map(({ type, kv, prevKv }) => ({
    type,
    pair: new Pair(kv),
    ...(prevKv && { previous: new Pair(prevKv) }),
  }));
  return { revision: head.header!.revision, changes };
}
