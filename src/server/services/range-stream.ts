/** KV.RangeStream (etcd 3.7): a large range in parts, as fast as its reader takes them. */
import {
  Code,
  SortOrder,
  SortTarget,
  statusError,
  type RangeRequest,
  type RangeResponse,
} from '../../api/index.js';
import { asRefusal } from './methods.js';
import type { StreamReader, StreamWriter } from '../rpc.js';

/** Throws what etcd refuses: parts come in key order, unfiltered. */
export function checkRangeStream(request: RangeRequest): void {
  const { sortOrder, sortTarget } = request;
  const inKeyOrder =
    sortOrder === SortOrder.none ||
    (sortOrder === SortOrder.ascend && sortTarget === SortTarget.key);
  if (!inKeyOrder) {
    throw statusError(Code.unimplemented, 'RangeStream does not support custom sort orders');
  }
  if (hasFilters(request)) {
    throw statusError(Code.unimplemented, 'RangeStream does not support revision filters');
  }
}

function hasFilters(request: RangeRequest): boolean {
  const { minModRevision, maxModRevision, minCreateRevision, maxCreateRevision } = request;
  return [minModRevision, maxModRevision, minCreateRevision, maxCreateRevision].some(
    (bound) => bound !== 0 && bound !== 0n,
  );
}

/** Sends the parts that `read` yields; the next is read when the writer has room. */
export function streamParts(
  out: StreamWriter<RangeResponse>,
  read: (request: RangeRequest) => AsyncIterable<RangeResponse>,
): StreamReader<RangeRequest> {
  let cancelled = false;
  let wake = (): void => {};
  out.onDrain(() => wake());
  const send = async (request: RangeRequest): Promise<void> => {
    for await (const part of read(request)) {
      if (cancelled) return;
      if (out.write(part) || cancelled) continue;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return {
    message: (request) => {
      send(request).then(
        () => out.end(),
        (error: unknown) => endWith(out, error),
      );
    },
    halfClose: () => {},
    cancel: () => {
      cancelled = true;
      wake();
    },
  };
}

function endWith(out: StreamWriter<RangeResponse>, error: unknown): void {
  const refusal = asRefusal(error);
  if (refusal === undefined) throw error; // a bug, which ends the member
  out.end(refusal);
}
