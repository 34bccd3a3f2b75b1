/** The user's key in an encoded mvccpb.KeyValue, without decoding the rest. */
import { latin1FromBytes } from '../bytes/index.js';

const Wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;
const KEY_FIELD = 1;
/** key, create_revision, mod_revision, version, value, lease: fields 1 to 6. */
const FIELD_WIRES = [undefined, 2, 0, 0, 0, 2, 0] as const;

/** Field 1 ('' when it is absent), or undefined when `record` is not an encoded KeyValue. */
export function userKeyOfRecord(record: Uint8Array): string | undefined {
  let key = '';
  for (let at = 0; at < record.length;) {
    const tag = readVarint(record, at);
    if (tag === undefined) return undefined;
    const field = Math.floor(tag.value / 8);
    const wire = tag.value % 8;
    if (field === 0 || (FIELD_WIRES[field] ?? wire) !== wire) return undefined;
    const extent = fieldExtent(record, tag.end, wire);
    if (extent === undefined || extent.end > record.length) return undefined;
    if (field === KEY_FIELD) key = latin1FromBytes(record, extent.start, extent.end);
    at = extent.end;
  }
  return key;
}

interface Extent {
  start: number;
  end: number;
}

function fieldExtent(record: Uint8Array, start: number, wire: number): Extent | undefined {
  if (wire === Wire.fixed64) return { start, end: start + 8 };
  if (wire === Wire.fixed32) return { start, end: start + 4 };
  const varint = readVarint(record, start);
  if (varint === undefined) return undefined;
  if (wire === Wire.varint) return { start, end: varint.end };
  if (wire === Wire.bytes) return { start: varint.end, end: varint.end + varint.value };
  return undefined;
}

/** At most ten bytes; the value is exact up to 2^53. */
function readVarint(bytes: Uint8Array, start: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let i = 0; i < 10 && start + i < bytes.length; i++) {
    const byte = bytes[start + i]!;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { value, end: start + i + 1 };
  }
  return undefined;
}
