import assert from 'node:assert/strict';
import { readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { LevelBackend, LevelRaftLog, StorageError } from '../../src/storage/index.js';
import { checkLevelFolder } from '../../src/storage/level-check.js';
import { entriesFrom } from './raft-log-contract.js';
import { TemporaryFolders } from './temporary.js';

const folders = new TemporaryFolders();
after(() => folders.remove());

/** A closed store with acknowledged content, part of it in tables and part in the journal. */
interface Subject {
  /** What is opened. */
  folder: string;
  /** Where its LevelDB lies. */
  level: string;
  /** Opens it and throws AssertionError unless everything is there. */
  verify(folder: string): Promise<void>;
}

const ENTRIES = 150;

async function raftLogSubject(): Promise<Subject> {
  const folder = folders.fresh();
  await LevelRaftLog.create(folder);
  for (let first = 1; first <= ENTRIES; first += 50) {
    const log = await LevelRaftLog.open(folder);
    const hardState = { term: 1, vote: 1n, commit: first - 1 };
    await log.append({ entries: entriesFrom(first, 50, 1), hardState, sync: true });
    await log.close();
  }
  const verify = async (copy: string) => {
    const log = await LevelRaftLog.open(copy);
    try {
      assert.equal(log.lastIndex(), ENTRIES);
      assert.equal(log.initialState().hardState.commit, ENTRIES - 50);
      assert.equal(log.entries(1, ENTRIES + 1, Infinity).length, ENTRIES);
    } finally {
      await log.close();
    }
  };
  return { folder, level: folder, verify };
}

async function backendSubject(): Promise<Subject> {
  const folder = folders.fresh();
  await LevelBackend.create(folder);
  for (let round = 0; round < 3; round++) {
    const backend = await LevelBackend.open(folder);
    for (let i = 0; i < 60; i++) backend.put('key', `r${round}-${i}`, Buffer.alloc(100, i + 1));
    await backend.close();
  }
  const verify = async (copy: string) => {
    const backend = await LevelBackend.open(copy);
    try {
      for (let round = 0; round < 3; round++) {
        for (let i = 0; i < 60; i++) {
          assert.equal(backend.get('key', `r${round}-${i}`)?.[0], i + 1);
        }
      }
      assert.equal((await backend.scan('key', { from: '', limit: 1000 })).length, 180);
    } finally {
      await backend.close();
    }
  };
  return { folder, level: join(folder, '1'), verify };
}

/** Bits to flip: every one of a small file; of a larger one the ends and a grid in between. */
function* bitsOf(length: number): Generator<number> {
  const bits = length * 8;
  const step = bits <= 2400 ? 1 : Math.floor(bits / 150) | 1;
  for (let bit = 0; bit < bits; bit += step) yield bit;
  for (let bit = bits - 48 * 8; bit < bits; bit += 7) if (bit > 0) yield bit;
}

async function refusalOf(folder: string): Promise<StorageError | undefined> {
  try {
    await checkLevelFolder(folder);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof StorageError, String(error));
    return error;
  }
}

function copyOf(subject: Subject): Subject {
  const folder = folders.afterKill(subject.folder);
  return { ...subject, folder, level: subject.level.replace(subject.folder, folder) };
}

/**
 * Flips each of `bits` in turn. Resolves with how many were not refused: those opened, and had
 * everything.
 */
async function damage({ folder, level, verify }: Subject, file: string, bits: readonly number[]) {
  const path = join(level, file);
  const whole = readFileSync(path);
  let harmless = 0;
  for (const bit of bits) {
    const damaged = Buffer.from(whole);
    damaged[bit >> 3]! ^= 1 << (bit & 7);
    writeFileSync(path, damaged);
    const error = await refusalOf(level);
    if (error === undefined) {
      await verify(folders.afterKill(folder));
      harmless++;
      continue;
    }
    assert.equal(error.code, 'CORRUPT', `${file}, bit ${bit}`);
    assert.ok(error.message.includes(level), error.message);
    assert.doesNotMatch(error.message, /\n/);
  }
  writeFileSync(path, whole);
  return harmless;
}

for (const [name, make] of [
  ['raft log', raftLogSubject],
  ['keyspace', backendSubject],
] as const) {
  describe(`a damaged ${name}`, () => {
    it('opens with everything or is refused in one line that names the file', async () => {
      const subject = await make();
      await subject.verify(folders.afterKill(subject.folder));
      const files = readdirSync(subject.level).filter((file) => !/^LO(G|CK)/.test(file));
      assert.ok(files.some((file) => file.endsWith('.ldb')));
      assert.ok(files.some((file) => file.endsWith('.log')));
      // Several copies at once: most of a trial is waiting for the disk.
      const copies = Array.from({ length: 8 }, () => copyOf(subject));
      let harmless = 0;
      for (const file of files) {
        const bits = [...bitsOf(readFileSync(join(subject.level, file)).length)];
        const counts = await Promise.all(
          copies.map((copy, i) =>
            damage(
              copy,
              file,
              bits.filter((_, j) => j % copies.length === i),
            ),
          ),
        );
        harmless += counts.reduce((sum, count) => sum + count, 0);
      }
      assert.ok(harmless < 10, `${harmless} flips went unnoticed, if without harm`);
      for (const copy of copies) await copy.verify(copy.folder);
    });

    it('is refused when a file is missing or shorter than it was', async () => {
      const subject = await make();
      for (const file of readdirSync(subject.level).filter((each) => !/^LO(G|CK)/.test(each))) {
        const path = join(subject.level, file);
        renameSync(path, `${path}.away`);
        assert.equal((await refusalOf(subject.level))?.code, 'CORRUPT', `without ${file}`);
        renameSync(`${path}.away`, path);
        if (!file.endsWith('.ldb')) continue;
        const whole = readFileSync(path);
        for (const length of [0, 10, whole.length - 1]) {
          writeFileSync(path, whole.subarray(0, length));
          assert.equal((await refusalOf(subject.level))?.code, 'CORRUPT', `${file} of ${length}`);
        }
        writeFileSync(path, whole);
      }
      await subject.verify(subject.folder);
    });
  });
}

describe('a store that was killed', () => {
  it('opens with its last record torn, without that record', async () => {
    const folder = folders.fresh();
    await LevelRaftLog.create(folder);
    const log = await LevelRaftLog.open(folder);
    await log.append({ entries: entriesFrom(1, 5, 1), sync: true });
    await log.append({ entries: entriesFrom(6, 5, 1), sync: true });
    const journal = readdirSync(folder).find((file) => file.endsWith('.log'))!;
    const size = readFileSync(join(folder, journal)).length;
    for (const lost of [1, 30, 100]) {
      const copy = folders.afterKill(folder);
      writeFileSync(
        join(copy, journal),
        readFileSync(join(copy, journal)).subarray(0, size - lost),
      );
      const torn = await LevelRaftLog.open(copy);
      assert.equal(torn.lastIndex(), 5);
      await torn.close();
    }
    await log.close();
  });

  it('is refused when a journal before the last has lost its end', async () => {
    const folder = folders.fresh();
    await LevelRaftLog.create(folder);
    const log = await LevelRaftLog.open(folder);
    for (let index = 1; index <= 3; index++) {
      await log.append({ entries: entriesFrom(index, 1, 1), sync: true });
    }
    const journal = readdirSync(folder).find((file) => file.endsWith('.log'))!;
    const copy = folders.afterKill(folder);
    await log.close();
    const file = readFileSync(join(copy, journal));
    const recordBytes = file.length / 3;
    writeFileSync(join(copy, journal), file.subarray(0, recordBytes));
    writeFileSync(join(copy, '000099.log'), file.subarray(2 * recordBytes));
    const error = await refusalOf(copy);
    assert.equal(error?.code, 'CORRUPT');
    assert.match(error.message, /000099\.log is damaged: write \d+ is missing before write \d+/);
  });
});
