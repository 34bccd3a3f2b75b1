/** Lists of writes, compactions and requests to watch streams. */
import * as fc from 'fast-check';
import type { Step } from '../support/step.js';
import type { Plain } from '../support/wire.js';
import { fields, flag, sometimes } from './fields.js';
import { deleteRangeRequest, putRequest } from './kv.js';
import { txnRequest } from './txn.js';
import { key, rangeEnd } from './values.js';

/** Requests to streams name the stream by number. */
export const STREAMS = 2;
export const WATCH = 'Watch/Watch';
/** So many puts of a long value: enough for a response that must be fragmented. */
export const BURST = '(burst of puts)';

export interface WatchStepOptions {
  maxLength: number;
  /** Is a negative start refused, and is progress held back by a start in the future? Not in old ones. */
  isStrict: boolean;
}

const TXN = { unknownOrder: false, unknownTarget: false, putBesideDeleteToEnd: false };

const near = (landmark: string, min: number, max: number) =>
  fc.integer({ min, max }).map((plus) => ({ $revision: landmark, plus }));

/** Often at the last change, which may be a delete. */
const compactAt = fc.oneof(near('now', 0, 0), near('now', -3, -1));

const startRevision = (isStrict: boolean): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 6, arbitrary: near('now', -9, 0) },
    { weight: 4, arbitrary: near('now', 1, 4) },
    { weight: 4, arbitrary: near('compacted', 0, 0) },
    { weight: 3, arbitrary: near('compacted', -1, 1) },
    { weight: 3, arbitrary: near('begin', 1, 4) },
    { weight: 1, arbitrary: fc.constant('9223372036854775807') },
    {
      weight: isStrict ? 1 : 0,
      arbitrary: fc.constantFrom('-1', '-9223372036854775808'),
    },
  );

const watchId = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 5 }).map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('-2', '9223372036854775807', '-9223372036854775808'),
  },
);

const createRequest = (isStrict: boolean) =>
  fields({
    key: fc.oneof({ weight: 12, arbitrary: key }, fc.constantFrom('', '\0')),
    range_end: sometimes(70, fc.oneof({ weight: 3, arbitrary: fc.constant('\0') }, rangeEnd)),
    start_revision: sometimes(65, startRevision(isStrict)),
    progress_notify: flag(15),
    filters: sometimes(20, fc.subarray([0, 1], { minLength: 1 })),
    prev_kv: flag(40),
    watch_id: sometimes(30, watchId),
    fragment: flag(25),
  });

/** At least one step. */
export function watchSteps({ maxLength, isStrict }: WatchStepOptions): fc.Arbitrary<Step[]> {
  const toStream = (weight: number, request: fc.Arbitrary<Plain>) => ({
    weight,
    arbitrary: fc
      .tuple(fc.integer({ min: 0, max: STREAMS - 1 }), request)
      .map(([stream, plain]): Step => ({ method: WATCH, request: { stream, ...plain } })),
  });
  const of = (weight: number, method: string, request: fc.Arbitrary<Plain>) => ({
    weight,
    arbitrary: request.map((plain): Step => ({ method, request: plain })),
  });
  const step = fc.oneof(
    of(24, 'KV/Put', putRequest),
    of(10, 'KV/DeleteRange', deleteRangeRequest),
    of(12, 'KV/Txn', txnRequest(TXN)),
    of(6, 'KV/Compact', fields({ revision: compactAt, physical: fc.constant(true) })),
    of(1, BURST, fc.constant({})),
    toStream(24, fields({ create_request: createRequest(isStrict) })),
    toStream(7, fields({ cancel_request: fields({ watch_id: watchId }) })),
    toStream(6, fc.constant({ progress_request: {} })),
  );
  return fc.array(step, { minLength: 1, maxLength, size: 'max' });
}
