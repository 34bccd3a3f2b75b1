/**
 * Reader of LevelDB's log format, in which both its journals (`*.log`) and its MANIFEST are written:
 * 32 KiB blocks of fragments, each a masked CRC-32C (4 bytes), a length (2) and a type (1: a whole
 * record, 2, 3 and 4: its first, middle and last part), little endian; fewer than seven bytes left in a
 * block are padding.
 *
 * LevelDB's own reader skips damaged fragments of a journal and goes on, so acknowledged writes would
 * vanish without a word. This one tells a torn end, which a crash leaves and nobody was promised, from
 * damage.
 */
import { crc32c } from '../bytes/index.js';

const BLOCK_BYTES = 32 << 10;
const HEADER_BYTES = 7;
const SECTOR_BYTES = 512;
const FragmentType = { whole: 1, first: 2, middle: 3, last: 4 } as const;

/** Thrown by {@link readJournal}; the message says where, without the file. */
export class JournalDamage extends Error {
  override readonly name = 'JournalDamage';
}

export interface Journal {
  records: Uint8Array[];
  /** The file ends in a record that was never completed; it is not among `records`. */
  torn: boolean;
}

interface Fragment {
  type: number;
  data: Uint8Array;
  /** Offset behind it. */
  end: number;
}

/** All complete records. Throws {@link JournalDamage} where the file is not what was written. */
export function readJournal(file: Uint8Array): Journal {
  const records: Uint8Array[] = [];
  let parts: Uint8Array[] = [];
  let offset = skipPadding(0);
  while (offset < file.length) {
    const fragment = readFragment(file, offset);
    if (fragment === undefined) {
      assertTorn(file, offset);
      return { records, torn: true };
    }
    parts = joinFragment(parts, fragment, records, offset);
    offset = skipPadding(fragment.end);
  }
  return { records, torn: parts.length > 0 };
}

/** Adds a fragment to the record under way; returns the parts of the record that is under way now. */
function joinFragment(
  parts: Uint8Array[],
  { type, data }: Fragment,
  records: Uint8Array[],
  offset: number,
): Uint8Array[] {
  const begins = type === FragmentType.whole || type === FragmentType.first;
  if (begins !== (parts.length === 0)) {
    throw new JournalDamage(`a record is incomplete before offset ${offset}`);
  }
  const joined = [...parts, data];
  if (type === FragmentType.first || type === FragmentType.middle) return joined;
  records.push(joined.length === 1 ? data : Buffer.concat(joined));
  return [];
}

/** The fragment at `offset`, or undefined when there is no valid one. */
function readFragment(file: Uint8Array, offset: number): Fragment | undefined {
  const dataStart = offset + HEADER_BYTES;
  if (dataStart > file.length) return undefined;
  const length = file[offset + 4]! | (file[offset + 5]! << 8);
  const type = file[offset + 6]!;
  const end = dataStart + length;
  if (end > Math.min(blockEnd(offset), file.length)) return undefined;
  if (type < FragmentType.whole || type > FragmentType.last) return undefined;
  if (crc32c(file, 0, offset + 6, end) !== storedCrc(file, offset)) return undefined;
  return { type, data: file.subarray(dataStart, end), end };
}

/**
 * There is no valid fragment at `offset`. Fine if the writer was stopped in the midst of it: the file
 * ends before the fragment does, or only zeros reached the disk from some sector boundary on.
 */
function assertTorn(file: Uint8Array, offset: number): void {
  const dataStart = offset + HEADER_BYTES;
  if (dataStart > file.length) return;
  const end = dataStart + (file[offset + 4]! | (file[offset + 5]! << 8));
  if (zerosBegin(file, offset, end)) return;
  const cut = end > file.length && end <= blockEnd(offset);
  if (cut && !fitsShorter(file, offset)) return;
  throw new JournalDamage(`the record at offset ${offset} is damaged`);
}

/**
 * A damaged length may point past the end of the file as that of a fragment that was cut does. But then
 * the checksum fits at some shorter length.
 */
function fitsShorter(file: Uint8Array, offset: number): boolean {
  const stored = storedCrc(file, offset);
  let crc = 0;
  for (let end = offset + 6; end < file.length; end++) {
    crc = crc32c(file, crc, end, end + 1);
    if (crc === stored) return true;
  }
  return false;
}

/** Is the file all zeros from `offset`, or from a sector boundary before `end`? */
function zerosBegin(file: Uint8Array, offset: number, end: number): boolean {
  const zeros = zeroFrom(file);
  if (zeros <= offset) return true;
  const boundary = Math.ceil(zeros / SECTOR_BYTES) * SECTOR_BYTES;
  return boundary < Math.min(end, file.length);
}

/** Offset from which the file is all zeros. */
function zeroFrom(file: Uint8Array): number {
  let offset = file.length;
  while (offset > 0 && file[offset - 1] === 0) offset--;
  return offset;
}

function blockEnd(offset: number): number {
  return offset - (offset % BLOCK_BYTES) + BLOCK_BYTES;
}

/** `offset`, or the start of the next block when no header fits any more. */
function skipPadding(offset: number): number {
  const left = blockEnd(offset) - offset;
  return left < HEADER_BYTES ? offset + left : offset;
}

/** The stored checksum of the fragment at `offset`, unmasked. */
function storedCrc(file: Uint8Array, offset: number): number {
  return unmaskCrc(
    file[offset]! |
      (file[offset + 1]! << 8) |
      (file[offset + 2]! << 16) |
      (file[offset + 3]! << 24),
  );
}

/** LevelDB stores a CRC rotated right by 15 bits plus a constant. */
export function unmaskCrc(masked: number): number {
  const rotated = (masked - 0xa282ead8) >>> 0;
  return ((rotated >>> 17) | (rotated << 15)) >>> 0;
}
