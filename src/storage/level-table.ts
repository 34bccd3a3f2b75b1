/**
 * Verifies a LevelDB table file, every byte that a read depends on. LevelDB checks none of the blocks'
 * checksums unless asked to, which `level` does not offer: a flipped bit in a filter or an index would
 * make keys disappear.
 *
 * A table is blocks one behind the other (data, filter, the filter's directory, the index), each with a
 * type byte and a masked CRC-32C behind it, and a footer of 48 bytes: where directory and index lie,
 * padding, a magic number.
 */
import { crc32c } from '../bytes/index.js';
import { JournalDamage, unmaskCrc } from './level-journal.js';
import { readVarint } from './level-manifest.js';

const FOOTER_BYTES = 48;
const TRAILER_BYTES = 5;
const MAGIC = Buffer.from('57fb808b247547db', 'hex');
const UNCOMPRESSED = 0;

interface Handle {
  offset: number;
  size: number;
}

/** Throws {@link JournalDamage} unless `file` is a whole, undamaged table. */
export function checkTable(file: Buffer): void {
  const footerStart = file.length - FOOTER_BYTES;
  if (footerStart < 0 || !file.subarray(-MAGIC.length).equals(MAGIC)) {
    throw new JournalDamage('it has no table footer');
  }
  const [directory, indexAt] = readHandle(file, footerStart);
  const [index, paddingStart] = readHandle(file, indexAt);
  if (file.subarray(paddingStart, -MAGIC.length).some((byte) => byte !== 0)) {
    throw new JournalDamage('its footer is damaged');
  }
  let offset = 0;
  for (const handle of [...handlesIn(block(file, index)), ...filterOf(file, directory)]) {
    offset = checkNext(file, handle, offset);
  }
  for (const handle of [directory, index]) offset = checkNext(file, handle, offset);
  if (offset !== footerStart)
    throw new JournalDamage(`bytes at offset ${offset} belong to no block`);
}

/** The block must begin where the one before ended; returns where it ends itself. */
function checkNext(file: Buffer, handle: Handle, offset: number): number {
  if (handle.offset !== offset) throw new JournalDamage(`no block begins at offset ${offset}`);
  block(file, handle);
  return offset + handle.size + TRAILER_BYTES;
}

/** The contents of a block whose checksum is right. */
function block(file: Buffer, { offset, size }: Handle): Buffer {
  const end = offset + size;
  if (end + TRAILER_BYTES > file.length) throw new JournalDamage('a block ends behind the file');
  if (crc32c(file, 0, offset, end + 1) !== unmaskCrc(file.readUInt32LE(end + 1))) {
    throw new JournalDamage(`the block at offset ${offset} is damaged`);
  }
  if (file[end] !== UNCOMPRESSED) throw new JournalDamage('a block is compressed');
  return file.subarray(offset, end);
}

/** The directory names at most one further block, the filter. */
function filterOf(file: Buffer, directory: Handle): Handle[] {
  return handlesIn(block(file, directory));
}

/** The values of a block of key -> handle. Keys are stored as a shared and an own part. */
function handlesIn(contents: Buffer): Handle[] {
  const restarts = contents.readUInt32LE(contents.length - 4);
  const end = contents.length - 4 * (restarts + 1);
  const handles: Handle[] = [];
  let offset = 0;
  while (offset < end) {
    const [, ownAt] = readVarint(contents, offset);
    const [ownBytes, valueAt] = readVarint(contents, ownAt);
    const [valueBytes, keyStart] = readVarint(contents, valueAt);
    const [handle] = readHandle(contents, keyStart + ownBytes);
    handles.push(handle);
    offset = keyStart + ownBytes + valueBytes;
  }
  return handles;
}

function readHandle(bytes: Buffer, at: number): [Handle, number] {
  const [offset, sizeAt] = readVarint(bytes, at);
  const [size, end] = readVarint(bytes, sizeAt);
  return [{ offset, size }, end];
}
