/**
 * What must be true of a LevelDB folder before it is opened. Opening one replays its journals, drops
 * from them what is damaged, and deletes what it does not need, all silently; so everything is verified
 * before: damage is a refusal that names the file, and never a smaller database.
 */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StorageError, diskRefusal } from './errors.js';
import { JournalDamage, readJournal } from './level-journal.js';
import { type Manifest, readManifest } from './level-manifest.js';
import { checkTable } from './level-table.js';
import { ReusedBuffer } from './reused-buffer.js';

/** Bytes before a write batch's operations in a journal record: sequence number and count. */
const BATCH_HEADER_BYTES = 12;

/** Resolves if the closed database in `folder` is whole; else throws StorageError CORRUPT or IO. */
export async function checkLevelFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw diskRefusal('read', folder, error);
  });
  const manifest = await checkManifest(folder, names);
  await checkTables(folder, manifest);
  await checkJournals(folder, names, manifest);
}

async function checkManifest(folder: string, names: readonly string[]): Promise<Manifest> {
  const current = join(folder, 'CURRENT');
  const name = (await read(current)).toString('latin1');
  const manifests = names.filter((each) => each.startsWith('MANIFEST-'));
  if (!/^MANIFEST-\d+\n$/.test(name)) throw new StorageError('CORRUPT', `${current} is damaged`);
  if (!manifests.includes(name.trimEnd())) {
    throw new StorageError('CORRUPT', `${current} names a file that is missing`);
  }
  const path = join(folder, name.trimEnd());
  const file = await read(path);
  return blaming(path, () => readManifest(readJournal(file).records));
}

async function checkTables(folder: string, manifest: Manifest): Promise<void> {
  const reader = new ReusedBuffer();
  for (const [number, bytes] of manifest.tables) {
    const path = join(folder, `${fileNumber(number)}.ldb`);
    const file = await opened(path, reader.read(path));
    blaming(path, () => {
      if (file.length !== bytes) throw new JournalDamage(`it has not ${bytes} bytes`);
      checkTable(file);
    });
    await nextTurn();
  }
}

/**
 * The journals that will be replayed, in order. Each write batch in them carries the number of its
 * first operation, and these numbers run on without a gap: so a journal that has lost its end, or is
 * missing altogether, is noticed as well.
 */
async function checkJournals(
  folder: string,
  names: readonly string[],
  manifest: Manifest,
): Promise<void> {
  const numbers = journalNumbers(names, manifest.logNumber);
  if (manifest.logNumber > 0 && numbers[0] !== manifest.logNumber) {
    const path = join(folder, `${fileNumber(manifest.logNumber)}.log`);
    throw new StorageError('CORRUPT', `${path} is missing`);
  }
  let next: number | undefined;
  for (const number of numbers) {
    const path = join(folder, `${fileNumber(number)}.log`);
    const file = await read(path);
    next = blaming(path, () => checkBatches(readJournal(file).records, next, manifest));
    await nextTurn();
  }
  if (next !== undefined && next <= manifest.lastSequence) {
    throw new StorageError('CORRUPT', `${folder} is damaged: the end of its journal is missing`);
  }
}

/** Returns the sequence number that the next batch must have. */
function checkBatches(
  records: readonly Uint8Array[],
  next: number | undefined,
  manifest: Manifest,
): number | undefined {
  for (const record of records) {
    if (record.length < BATCH_HEADER_BYTES) throw new JournalDamage('a record is too short');
    const header = new DataView(record.buffer, record.byteOffset, BATCH_HEADER_BYTES);
    const sequence = Number(header.getBigUint64(0, true));
    const expected = next ?? Math.min(sequence, manifest.lastSequence + 1);
    if (sequence !== expected) {
      throw new JournalDamage(`write ${expected} is missing before write ${sequence}`);
    }
    next = sequence + header.getUint32(8, true);
  }
  return next;
}

function journalNumbers(names: readonly string[], from: number): number[] {
  return names
    .filter((name) => /^\d+\.log$/.test(name))
    .map((name) => Number.parseInt(name, 10))
    .filter((number) => number >= from)
    .sort((a, b) => a - b);
}

function fileNumber(number: number): string {
  return String(number).padStart(6, '0');
}

async function read(path: string): Promise<Buffer> {
  return await opened(path, readFile(path));
}

/** What `reading` comes to; a file that should be there and is not is damage. */
async function opened(path: string, reading: Promise<Buffer>): Promise<Buffer> {
  return await reading.catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw diskRefusal('read', path, error);
    throw new StorageError('CORRUPT', `${path} is missing`, { cause: error });
  });
}

/** Runs `check`; damage that it finds is a refusal that names `path`. */
function blaming<T>(path: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof JournalDamage) && !(error instanceof RangeError)) throw error;
    throw new StorageError('CORRUPT', `${path} is damaged: ${error.message}`, { cause: error });
  }
}
