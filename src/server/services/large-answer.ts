/** Answers that would take a whole turn, and more, to encode: in slices, with turns for others between. */
import type { RangeResponse } from '../../api/index.js';
import * as codec from '../../codec/index.js';

/** Bytes of keys and values, and pairs, encoded in a turn. */
const SLICE_BYTES = 1 << 20;
const SLICE_PAIRS = 2000;

/** An answer whose bytes are there already. */
export class EncodedAnswer {
  constructor(readonly bytes: Uint8Array) {}
}

/**
 * `response` itself when it is small; else encoded: protobuf messages that stand one behind the other
 * read as one, with repeated fields appended, so the bytes are those of the whole.
 */
export async function encodeLargeRange(
  response: RangeResponse,
  yieldTurn: () => Promise<void>,
): Promise<RangeResponse | EncodedAnswer> {
  const { kvs, more, count } = response;
  let end = sliceEnd(response, 0);
  if (end === kvs.length) return response;
  const head = response.header === undefined ? {} : { header: response.header };
  const pieces = [encodePart({ ...head, kvs: kvs.slice(0, end), more: false, count: 0 })];
  while (end < kvs.length) {
    await yieldTurn();
    const from = end;
    end = sliceEnd(response, from);
    pieces.push(encodePart({ kvs: kvs.slice(from, end), more: false, count: 0 }));
  }
  pieces.push(encodePart({ kvs: [], more, count }));
  return new EncodedAnswer(Buffer.concat(pieces));
}

/** For a method's `encode`. */
export function encodeRange(answer: RangeResponse | EncodedAnswer): Uint8Array {
  return answer instanceof EncodedAnswer ? answer.bytes : encodePart(answer);
}

function encodePart(part: RangeResponse): Uint8Array {
  return codec.rangeResponse.encode(part);
}

/** Where the slice ends that begins at `from`: at least one pair further, unless there is none. */
function sliceEnd({ kvs }: RangeResponse, from: number): number {
  let bytes = 0;
  let end = from;
  while (end < kvs.length && end < from + SLICE_PAIRS && bytes < SLICE_BYTES) {
    const { key, value } = kvs[end++]!;
    bytes += key.length + value.length;
  }
  return end;
}
