/** The program as a process: what only the process around the code can get wrong. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../bin/kvorumctl', import.meta.url));

function shell(
  script: string,
  input = '',
): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script, process.execPath, program], {
    input,
    encoding: 'latin1',
    env: { ...process.env, ETCDCTL_API: '3' },
    timeout: 20_000,
  });
  return { code: status, stdout, stderr };
}

test('exit codes, and the two streams', () => {
  assert.equal(shell('"$0" "$1" version').code, 0);
  const { code, stdout, stderr } = shell('"$0" "$1" get');
  assert.equal(code, 128);
  assert.equal(stdout, '');
  assert.match(stderr, /^Error: get command needs one argument/);
});

test(
  'arguments are bytes, also where they are not UTF-8',
  { skip: process.platform !== 'linux' },
  () => {
    const { stderr } = shell(`"$0" "$1" put k v --lease="$(printf '\\377\\303\\251')"`);
    assert.match(stderr, /parsing "\\xff\xc3\xa9": invalid syntax/);
  },
);

test('ends although standard input stays open', async () => {
  const child = spawn(process.execPath, [program, 'txn'], { timeout: 20_000 });
  child.stdin.write('x\n');
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.equal(code, 3);
  assert.equal(stderr, 'Error: malformed comparison: x\n');
});

test('a reader that goes away is no error to speak of', () => {
  const { stderr } = shell('"$0" "$1" --help | true');
  assert.equal(stderr, '');
});
