/**
 * CRC-32C (Castagnoli, reflected polynomial 0x82f63b78): what etcd's HashKV, write-ahead log and
 * snapshot status compute, and LevelDB's files. Slicing by eight.
 */

/** Eight tables of 256: table k says what a byte does to the sum when k more bytes follow it. */
const TABLES = makeTables();

/**
 * Continues `crc` (0 to begin) over `bytes[start, end)`; the result is an unsigned 32-bit number
 * that may be passed in again: crc32c(ab) equals crc32c(b, crc32c(a)).
 */
export function crc32c(bytes: Uint8Array, crc = 0, start = 0, end = bytes.length): number {
  const table = TABLES;
  let state = ~crc;
  let i = start;
  for (const whole = end - 7; i < whole; i += 8) {
    const low =
      state ^ (bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24));
    state =
      table[1792 + (low & 0xff)]! ^
      table[1536 + ((low >>> 8) & 0xff)]! ^
      table[1280 + ((low >>> 16) & 0xff)]! ^
      table[1024 + (low >>> 24)]! ^
      table[768 + bytes[i + 4]!]! ^
      table[512 + bytes[i + 5]!]! ^
      table[256 + bytes[i + 6]!]! ^
      table[bytes[i + 7]!]!;
  }
  for (; i < end; i++) state = table[(state ^ bytes[i]!) & 0xff]! ^ (state >>> 8);
  return ~state >>> 0;
}

/** The same over the bytes held in a latin1 string. */
export function crc32cLatin1(text: string, crc = 0): number {
  let state = ~crc;
  for (let i = 0; i < text.length; i++) {
    state = TABLES[(state ^ text.charCodeAt(i)) & 0xff]! ^ (state >>> 8);
  }
  return ~state >>> 0;
}

function makeTables(): Int32Array {
  const tables = new Int32Array(8 * 256);
  for (let n = 0; n < 256; n++) {
    let crc = n;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    tables[n] = crc;
  }
  for (let n = 256; n < tables.length; n++) {
    const before = tables[n - 256]!;
    tables[n] = tables[before & 0xff]! ^ (before >>> 8);
  }
  return tables;
}
