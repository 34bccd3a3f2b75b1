import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Level } from 'level';
import { LevelRaftLog, type StorageError } from '../../src/storage/index.js';
import { readJournal } from '../../src/storage/level-journal.js';
import { type RaftLogHarness, entriesFrom, raftLogContract } from './raft-log-contract.js';
import { TemporaryFolders } from './temporary.js';

const folders = new TemporaryFolders();
after(() => folders.remove());

async function open(folder: string, maxEntries: number): Promise<RaftLogHarness> {
  const log = await LevelRaftLog.open(folder, { maxEntries });
  return {
    log,
    reopen: async (how) => {
      const left = how === 'kill' ? folders.afterKill(folder) : folder;
      await log.close();
      return open(left, maxEntries);
    },
    close: () => log.close(),
  };
}

async function create(): Promise<string> {
  const folder = folders.fresh();
  await LevelRaftLog.create(folder);
  return folder;
}

raftLogContract('LevelRaftLog', async () => open(await create(), 100), 12);
raftLogContract('LevelRaftLog with hardly a cache', async () => open(await create(), 2), 8);

describe('LevelRaftLog', () => {
  /** Changes a record behind the log's back: not damage of the disk, but a bug of ours before. */
  async function tamper(
    change: (db: Level<Buffer, Buffer>) => Promise<void>,
  ): Promise<{ folder: string; error: StorageError }> {
    const folder = await create();
    const log = await LevelRaftLog.open(folder);
    const hardState = { term: 2, vote: 1n, commit: 8 };
    // Each in a write of its own, so that each has a record of its own.
    for (const entry of [...entriesFrom(1, 5, 1), ...entriesFrom(6, 5, 2)]) {
      await log.append({ entries: [entry], hardState, sync: true });
    }
    await log.close();
    const db = new Level<Buffer, Buffer>(folder, {
      keyEncoding: 'buffer',
      valueEncoding: 'buffer',
      compression: false,
    });
    await change(db);
    await db.close();
    const error = await LevelRaftLog.open(folder).then(
      () => assert.fail('it opened'),
      (refusal: StorageError) => refusal,
    );
    return { folder, error };
  }

  function key(index: number): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(BigInt(index));
    return bytes;
  }

  function assertCorrupt(
    { folder, error }: { folder: string; error: StorageError },
    what: RegExp,
  ): void {
    assert.equal(error.code, 'CORRUPT');
    assert.ok(error.message.includes(folder), error.message);
    assert.doesNotMatch(error.message, /\n/);
    assert.match(error.message, what);
  }

  it('refuses a gap', async () => {
    assertCorrupt(await tamper((db) => db.del(key(4))), /entry 4 is missing/);
    assertCorrupt(await tamper((db) => db.del(key(1))), /entry 1 is missing/);
  });

  it('refuses a log that ends before its commit index', async () => {
    const found = await tamper((db) => db.clear({ gte: key(8), lt: Buffer.of(0xff) }));
    assertCorrupt(found, /entries 8 to 8 are missing/);
  });

  it('refuses a record that is not what was written', async () => {
    const flip = async (db: Level<Buffer, Buffer>) => {
      const record = await db.get(key(5));
      record[record.length - 5]! ^= 1;
      await db.put(key(5), record);
    };
    assertCorrupt(await tamper(flip), /entry 5 fails its checksum/);
  });

  it('refuses a record under another key', async () => {
    const move = async (db: Level<Buffer, Buffer>) => db.put(key(5), (await db.get(key(6)))!);
    assertCorrupt(await tamper(move), /entry 5 fails its checksum/);
  });

  it('refuses a damaged hard state', async () => {
    const flip = async (db: Level<Buffer, Buffer>) => {
      const record = await db.get(Buffer.of(0xff, 1));
      record[3]! ^= 0x40;
      await db.put(Buffer.of(0xff, 1), record);
    };
    assertCorrupt(await tamper(flip), /its hard state/);
  });

  it('keeps what a replacement leaves of a block, also when nothing of it is written yet', async () => {
    const folder = await create();
    const log = await LevelRaftLog.open(folder, { maxEntries: 1 });
    await log.append({ entries: entriesFrom(1, 10, 1), sync: true });
    await log.append({ entries: entriesFrom(6, 10, 2), sync: true });
    await Promise.all([
      log.append({ entries: entriesFrom(16, 10, 2), sync: false }),
      log.append({ entries: entriesFrom(20, 10, 3), sync: true }),
      log.append({ entries: entriesFrom(18, 1, 4), sync: true }),
    ]);
    const terms = [...Array<number>(5).fill(1), ...Array<number>(12).fill(2), 4];
    const check = (each: LevelRaftLog) => {
      assert.deepEqual(
        each.entries(1, 19, Infinity).map(({ term }) => term),
        terms,
      );
      assert.deepEqual(
        each.entries(1, 19, Infinity).map(({ index }) => index),
        terms.map((_, i) => i + 1),
      );
      assert.equal(each.lastIndex(), 18);
    };
    check(log);
    const again = await LevelRaftLog.open(folders.afterKill(folder), { maxEntries: 1 });
    check(again);
    await again.close();
    await log.close();
  });

  it('compacts in the middle of a block and goes on from there', async () => {
    const folder = await create();
    const log = await LevelRaftLog.open(folder, { maxEntries: 2 });
    for (let i = 0; i < 5; i++) {
      await log.append({ entries: entriesFrom(1 + 10 * i, 10, 1), sync: true });
    }
    await log.compact(25);
    const left = folders.afterKill(folder);
    await log.close();
    const again = await LevelRaftLog.open(left, { maxEntries: 2 });
    assert.equal(again.firstIndex(), 26);
    assert.equal(again.entries(26, 51, Infinity).length, 25);
    await again.compact(50);
    await again.append({ entries: entriesFrom(51, 3, 2), sync: true });
    await again.close();
    const last = await LevelRaftLog.open(left);
    assert.equal(last.firstIndex(), 51);
    assert.equal(last.term(50), 1);
    assert.equal(last.entries(51, 54, Infinity).length, 3);
    await last.close();
  });

  it('a snapshot that ends inside a block leaves nothing of the block behind', async () => {
    const folder = await create();
    const log = await LevelRaftLog.open(folder);
    await log.append({ entries: entriesFrom(1, 10, 1), sync: true });
    const confState = log.initialState().confState;
    await log.install({ index: 5, term: 1, confState }, { term: 2, vote: 0n, commit: 5 });
    await log.append({ entries: entriesFrom(6, 2, 2), sync: true });
    const again = await LevelRaftLog.open(folders.afterKill(folder));
    assert.equal(again.firstIndex(), 6);
    assert.deepEqual(
      again.entries(6, 8, Infinity).map(({ term }) => term),
      [2, 2],
    );
    assert.equal(again.lastIndex(), 7);
    await again.close();
    await log.close();
  });

  it('shares one write among the calls made while another is under way', async () => {
    const folder = await create();
    const log = await LevelRaftLog.open(folder);
    await Promise.all(
      entriesFrom(1, 200, 1).map((each) => log.append({ entries: [each], sync: true })),
    );
    assert.equal(log.lastIndex(), 200);
    const journal = readdirSync(folder).find((name) => name.endsWith('.log'))!;
    const { records } = readJournal(readFileSync(join(folder, journal)));
    assert.equal(records.length, 2);
    await log.close();
  });

  it('turns its journal over under load and loses nothing', async () => {
    const folder = await create();
    const log = await LevelRaftLog.open(folder, { maxBytes: 1 << 20 });
    const data = Buffer.alloc(500_000, 'x');
    const count = 40;
    const calls: Promise<void>[] = [];
    for (let index = 1; index <= count; index++) {
      calls.push(
        log.append({ entries: [{ index, term: 1, type: 0, data }], sync: index % 3 === 0 }),
      );
      if (index % 10 === 0) await Promise.all(calls);
    }
    await Promise.all(calls);
    assert.equal(log.entries(1, count + 1, Infinity).length, count);
    const again = await LevelRaftLog.open(folders.afterKill(folder));
    assert.equal(again.lastIndex(), count);
    await log.compact(25);
    await log.close();
    await again.close();
    const compacted = await LevelRaftLog.open(folder);
    assert.equal(compacted.firstIndex(), 26);
    assert.equal(compacted.lastIndex(), count);
    await compacted.close();
  });
});
