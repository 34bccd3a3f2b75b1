/**
 * CRC-32C (Castagnoli, reflected polynomial 0x82f63b78): what etcd's HashKV, write-ahead log and
 * snapshot status compute. Slicing by four: about one nanosecond a byte.
 */
const tables = makeTables();

/**
 * Continues `crc` (0 to begin) over `bytes[start, end)`; the result is an unsigned 32-bit number
 * that may be passed in again: crc32c(ab) equals crc32c(b, crc32c(a)).
 */
export function crc32c(bytes: Uint8Array, crc = 0, start = 0, end = bytes.length): number {
  const [t0, t1, t2, t3] = tables;
  let state = ~crc;
  let i = start;
  for (; i + 4 <= end; i += 4) {
    state ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    state =
      t3[state & 0xff]! ^
      t2[(state >>> 8) & 0xff]! ^
      t1[(state >>> 16) & 0xff]! ^
      t0[state >>> 24]!;
  }
  for (; i < end; i++) state = t0[(state ^ bytes[i]!) & 0xff]! ^ (state >>> 8);
  return ~state >>> 0;
}

/** The same over the bytes held in a latin1 string. */
export function crc32cLatin1(text: string, crc = 0): number {
  const t0 = tables[0];
  let state = ~crc;
  for (let i = 0; i < text.length; i++) {
    state = t0[(state ^ text.charCodeAt(i)) & 0xff]! ^ (state >>> 8);
  }
  return ~state >>> 0;
}

function makeTables(): readonly [Int32Array, Int32Array, Int32Array, Int32Array] {
  const made = [0, 1, 2, 3].map(() => new Int32Array(256));
  for (let n = 0; n < 256; n++) {
    let crc = n;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    made[0]![n] = crc;
  }
  for (let k = 1; k < 4; k++) {
    for (let n = 0; n < 256; n++) {
      const before = made[k - 1]![n]!;
      made[k]![n] = made[0]![before & 0xff]! ^ (before >>> 8);
    }
  }
  return made as unknown as readonly [Int32Array, Int32Array, Int32Array, Int32Array];
}
