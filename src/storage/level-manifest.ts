/** What LevelDB's MANIFEST says: a list of edits; their sum is the set of files in force. */
import { JournalDamage } from './level-journal.js';

const Tag = {
  comparator: 1,
  logNumber: 2,
  nextFileNumber: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  prevLogNumber: 9,
} as const;

export interface Manifest {
  /** Table files in force: number to size in bytes. */
  tables: Map<number, number>;
  /** The oldest journal that is still needed; 0 in a database that was never opened. */
  logNumber: number;
  /** Sequence number of the last write when the last edit was made. */
  lastSequence: number;
}

/** Sums up the edits. Throws {@link JournalDamage} for one that does not parse. */
export function readManifest(edits: readonly Uint8Array[]): Manifest {
  const manifest: Manifest = { tables: new Map(), logNumber: 0, lastSequence: 0 };
  for (const edit of edits) applyEdit(manifest, new EditReader(edit));
  return manifest;
}

function applyEdit(manifest: Manifest, reader: EditReader): void {
  const added: [number: number, bytes: number][] = [];
  while (!reader.ended) {
    const tag = reader.number();
    switch (tag) {
      case Tag.comparator:
        reader.skipBytes();
        break;
      case Tag.logNumber:
        manifest.logNumber = reader.number();
        break;
      case Tag.lastSequence:
        manifest.lastSequence = reader.number();
        break;
      case Tag.nextFileNumber:
      case Tag.prevLogNumber:
        reader.number();
        break;
      case Tag.compactPointer:
        reader.number();
        reader.skipBytes();
        break;
      case Tag.deletedFile:
        reader.number();
        manifest.tables.delete(reader.number());
        break;
      case Tag.newFile:
        reader.number();
        added.push([reader.number(), reader.number()]);
        reader.skipBytes();
        reader.skipBytes();
        break;
      default:
        throw new JournalDamage(`unknown tag ${tag} in an edit`);
    }
  }
  // Last: a file that moves to another level is deleted and added in one edit.
  for (const [number, bytes] of added) manifest.tables.set(number, bytes);
}

/** Numbers (base-128, least significant first) and counted bytes. */
class EditReader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get ended(): boolean {
    return this.#offset === this.#bytes.length;
  }

  number(): number {
    const [value, end] = readVarint(this.#bytes, this.#offset);
    this.#offset = end;
    return value;
  }

  skipBytes(): void {
    const length = this.number();
    this.#offset += length;
    if (this.#offset > this.#bytes.length) throw new JournalDamage('an edit is cut short');
  }
}

/** A base-128 number and the offset behind it. */
export function readVarint(bytes: Uint8Array, offset: number): [value: number, end: number] {
  let value = 0;
  for (let i = 0, scale = 1; i < 10; i++, scale *= 128) {
    const byte = bytes[offset + i];
    if (byte === undefined) break;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return [value, offset + i + 1];
  }
  throw new JournalDamage('a number is cut short');
}
