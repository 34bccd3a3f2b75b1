/** What is acknowledged survives: a process that is killed, and a disk that is full. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDisk } from '../../src/storage/index.js';
import { TemporaryFolders } from './temporary.js';

const folders = new TemporaryFolders();
after(() => folders.remove());

const program = fileURLToPath(new URL('writing-process.js', import.meta.url));

interface Acknowledged {
  log: number;
  backend: number;
}

async function linesOf(child: ChildProcess, each: (line: string) => void): Promise<void> {
  const closed = once(child, 'close');
  createInterface({ input: child.stdout! }).on('line', each);
  await closed;
}

function note(acknowledged: Acknowledged, line: string): void {
  const found = /^(log|backend) (\d+)$/.exec(line);
  if (found) acknowledged[found[1] as keyof Acknowledged] = Number(found[2]);
}

/** All that is acknowledged was found; and a backend commit as a whole, or not at all. */
function assertKept(line: string, acknowledged: Acknowledged): void {
  const [entries, applied, keys] = line.split(' ').slice(1).map(Number);
  assert.ok(entries! >= acknowledged.log, `${entries} of ${acknowledged.log} entries`);
  assert.ok(applied! >= acknowledged.backend, `${applied} of ${acknowledged.backend} applied`);
  assert.ok(applied! <= entries!, `${applied} applied of ${entries}`);
  assert.equal(keys, applied);
}

describe('a killed process', () => {
  it('has lost nothing that it acknowledged, ten times over', async () => {
    const dataDir = folders.fresh();
    const acknowledged: Acknowledged = { log: 0, backend: 0 };
    let found = 0;
    for (let round = 0; round < 11; round++) {
      const child = spawn(process.execPath, [program, dataDir, '3000'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let lines = 0;
      await linesOf(child, (line) => {
        if (line.startsWith('found')) {
          assertKept(line, acknowledged);
          found++;
        }
        note(acknowledged, line);
        // The signal arrives some moment later, in the midst of some later write.
        if (++lines === 1 + 7 * round) child.kill('SIGKILL');
      });
    }
    assert.equal(found, 11);
    assert.ok(acknowledged.log > 100);
  });
});

describe('a disk that is full', { skip: process.platform === 'win32' }, () => {
  /** Runs until the disk refuses; resolves with the last lines: what was refused, and what then. */
  async function fill(dataDir: string, acknowledged: Acknowledged, ...only: string[]) {
    const lines: string[] = [];
    // A limit on the length of files: no privilege needed, and the system refuses the write for real.
    const limited = ['-c', 'ulimit -f 400; exec "$@"', 'bash'];
    const command = [process.execPath, program, dataDir, '3000', ...only];
    const child = spawn('bash', [...limited, ...command], { stdio: ['ignore', 'pipe', 'inherit'] });
    await linesOf(child, (line) => {
      lines.push(line);
      note(acknowledged, line);
    });
    const [refused, logAgain, backendAgain, read] = lines.slice(-4);
    assert.equal(read, 'read 3000');
    return { refused: refused!, logAgain: logAgain!, backendAgain: backendAgain! };
  }

  it('is refused by the log once and for all, and what it acknowledged is there', async () => {
    const dataDir = folders.fresh();
    const acknowledged: Acknowledged = { log: 0, backend: 0 };
    const { refused, logAgain } = await fill(dataDir, acknowledged);
    assert.ok(refused.startsWith(`refused IO cannot write ${dataDir}/member/log: `), refused);
    assert.ok(logAgain.startsWith('log again IO cannot write '), logAgain);
    assert.ok(acknowledged.log > 50, `${acknowledged.log} entries were written`);

    const disk = await openDisk(dataDir);
    const keys = await disk.backend.scan('key', { from: '', limit: 100_000 });
    const applied = String(disk.backend.get('meta', 'applied'));
    assertKept(`found ${disk.log.lastIndex()} ${applied} ${keys.length}`, acknowledged);
    await disk.close();
  });

  it('is refused by the backend once and for all, which goes on to be read', async () => {
    const dataDir = folders.fresh();
    const acknowledged: Acknowledged = { log: 0, backend: 0 };
    const { refused, backendAgain } = await fill(dataDir, acknowledged, 'backend');
    assert.ok(refused.startsWith(`refused IO cannot write ${dataDir}/member/keyspace/`), refused);
    assert.ok(backendAgain.startsWith('backend again IO cannot write '), backendAgain);
    assert.ok(acknowledged.backend > 50, `${acknowledged.backend} pairs were written`);

    const disk = await openDisk(dataDir);
    const keys = await disk.backend.scan('key', { from: '', limit: 100_000 });
    assert.equal(String(disk.backend.get('meta', 'applied')), String(keys.length));
    assert.ok(keys.length >= acknowledged.backend);
    await disk.close();
  });
});
