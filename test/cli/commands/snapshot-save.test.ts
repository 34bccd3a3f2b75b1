/** `snapshot save` against a server that sends what it is told to. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Code, type SnapshotResponse } from '../../../src/api/index.js';
import { KVORUMCTL } from '../../../src/cli/ctl-commands.js';
import { type FakeStream, startFakeServer } from '../support/fake-server.js';
import { run, type Shown } from '../support/run.js';
import { fixtureBytes } from '../support/snapshots.js';
import { tempDir } from '../support/temp-dir.js';

const dir = tempDir();
const whole = fixtureBytes('3.5.16');

async function save(
  path: string,
  talk: (stream: FakeStream) => void,
  flags: readonly string[] = [],
  draw?: (text: string) => void,
): Promise<Shown> {
  const server = await startFakeServer({ stream: { snapshot: talk } });
  try {
    const args = ['snapshot', 'save', path, `--endpoints=${server.endpoint}`, ...flags];
    return await run(KVORUMCTL, args, draw ? { drawProgress: draw } : {});
  } finally {
    server.stop();
  }
}

/** Sends `bytes` in pieces, and ends. */
function sending(bytes: Buffer, version = '3.6.0') {
  return (stream: FakeStream): void => {
    for (let at = 0; at < bytes.length; at += 100_000) {
      const blob = bytes.subarray(at, at + 100_000);
      const remainingBytes = bytes.length - at - blob.length;
      stream.send({ blob, remainingBytes, version } satisfies SnapshotResponse);
    }
    stream.finish();
  };
}

describe('snapshot save', () => {
  test('writes what it is sent, for its owner only', async () => {
    const path = join(dir, 'whole');
    const shown = await save(path, sending(whole));
    assert.deepEqual(shown, {
      code: 0,
      stdout: `Snapshot saved at ${path}\nServer version 3.6.0\n`,
      stderr: '',
    });
    assert.ok(readFileSync(path).equals(whole));
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.ok(!existsSync(`${path}.part`));
  });

  test('does not name a version that the server does not tell', async () => {
    const path = join(dir, 'old');
    const { stdout } = await save(path, sending(whole, ''));
    assert.equal(stdout, `Snapshot saved at ${path}\n`);
  });

  test('draws how far it is on a terminal', async () => {
    const drawn: string[] = [];
    await save(join(dir, 'drawn'), sending(whole), [], (text) => drawn.push(text));
    assert.match(drawn[0]!, /\[=+> +\] {2}15% {2}100 kB of 660 kB$/);
    assert.equal(drawn.at(-1), '\r\x1b[K');
  });

  const damaged = Buffer.from(whole);
  damaged[5000]! ^= 1;
  const failures: [string, (stream: FakeStream) => void, RegExp][] = [
    [
      'the stream breaks',
      (stream) => {
        stream.send({ blob: whole.subarray(0, 1000), remainingBytes: 9000, version: '' });
        stream.fail(Code.unavailable, 'etcdserver: server stopped');
      },
      /^Error: etcdserver: server stopped\n$/,
    ],
    [
      'the end is missing',
      sending(whole.subarray(0, whole.length - 32)),
      /^Error: sha256 checksum not found \[bytes: 659456\]\n$/,
    ],
    ['a byte is wrong', sending(damaged), /^Error: expected sha256 \[[\d ]+\], got \[[\d ]+\]\n$/],
    [
      'nothing comes',
      sending(Buffer.alloc(0)),
      /^Error: sha256 checksum not found \[bytes: 0\]\n$/,
    ],
  ];
  for (const [what, talk, error] of failures) {
    test(`leaves an older file alone, and nothing behind, when ${what}`, async () => {
      const folder = join(dir, what);
      const path = join(folder, 'backup');
      mkdirSync(folder);
      writeFileSync(path, 'older');
      const { code, stdout, stderr } = await save(path, talk);
      assert.equal(code, 5);
      assert.equal(stdout, '');
      assert.match(stderr, error);
      assert.deepEqual(readdirSync(folder), ['backup']);
      assert.equal(readFileSync(path, 'utf8'), 'older');
    });
  }

  test('gives up at a timeout that was asked for', async () => {
    const path = join(dir, 'late');
    const { code, stderr } = await save(path, () => {}, ['--command-timeout=200ms']);
    assert.equal(code, 5);
    assert.equal(stderr, 'Error: context deadline exceeded\n');
    assert.ok(!existsSync(`${path}.part`));
  });

  test('names the file that it cannot write', async () => {
    const path = join(dir, 'missing', 'x');
    const { code, stderr } = await save(path, sending(whole));
    assert.equal(code, 5);
    const why = `open ${path}.part: no such file or directory`;
    assert.equal(stderr, `Error: could not open ${path}.part (${why})\n`);
  });
});
