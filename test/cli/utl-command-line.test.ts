/** Whole command lines of kvorumutl that only look at files. What etcdutl 3.6.16 shows is given as text. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { KVORUMUTL, UTL } from '../../src/cli/utl-commands.js';
import { encodeRecord, encodeTombstone, recordKey } from '../../src/mvcc/index.js';
import { run as runProgram, type Shown } from './support/run.js';
import { fixture, fixtureBytes, snapshotFile } from './support/snapshots.js';
import { tempDir } from './support/temp-dir.js';

const dir = tempDir();

function run(...args: string[]): Promise<Shown> {
  return runProgram(KVORUMUTL, args);
}

async function shows(args: string[], stdout: string): Promise<void> {
  assert.deepEqual(await run(...args), { code: 0, stdout, stderr: '' });
}

async function refuses(args: string[], code: number, message: string | RegExp): Promise<void> {
  const shown = await run(...args);
  assert.equal(shown.code, code);
  assert.equal(shown.stdout, '');
  if (typeof message === 'string') assert.equal(shown.stderr, `Error: ${message}\n`);
  else assert.match(shown.stderr, message);
}

function file(name: string, bytes: Uint8Array): string {
  const path = join(dir, name);
  writeFileSync(path, bytes);
  return path;
}

describe('help', () => {
  const everyPath = UTL.subcommands!.flatMap((command) => [
    [command.name],
    ...(command.subcommands ?? []).map(({ name }) => [command.name, name]),
  ]);
  for (const path of [[], ...everyPath]) {
    test(`${path.join(' ')} --help fits a screen`, async () => {
      const { stdout } = await run(...path, '--help');
      assert.match(stdout, new RegExp(`^Usage: kvorumutl ?${path.join(' ')}`));
      for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line);
    });
  }
});

describe('grammar', () => {
  test('an unknown command is told twice, as by etcdutl', () =>
    refuses(
      ['frob'],
      1,
      /^Error: unknown command "frob" for "kvorumutl"\nRun 'kvorumutl --help' for usage\.\nError: unknown command "frob" for "kvorumutl"\n$/,
    ));
  test('an unknown flag: all of it on stderr', () =>
    refuses(
      ['snapshot', 'status', '--bogus'],
      1,
      /^Error: unknown flag: --bogus\nUsage: kvorumutl snapshot status [^]*\n\nError: unknown flag: --bogus\n$/,
    ));
  test('an unsigned number', () =>
    refuses(
      ['snapshot', 'restore', 'x', '--bump-revision=-1'],
      1,
      /^Error: invalid argument "-1" for "--bump-revision" flag: strconv\.ParseUint: parsing "-1": invalid syntax\n/,
    ));
  test('version', async () => {
    const { stdout } = await run('version');
    assert.match(
      stdout,
      /^etcdutl version: 3\.6\.16\nAPI version: 3\.6\nkvorumutl version: \d+\.\d+\.\d+\S*\n$/,
    );
  });
});

describe('snapshot status', () => {
  test('of a file of 3.4', () =>
    shows(['snapshot', 'status', fixture('3.4.23')], '11e30311, 122, 77, 655 kB, \n'));
  const formats: [string, string][] = [
    ['simple', '9dcea5a7, 122, 77, 660 kB, \n'],
    ['json', '{"hash":2647565735,"revision":122,"totalKey":77,"totalSize":659456,"version":""}\n'],
    [
      'fields',
      '"Hash" : 2647565735\n"Revision" : 122\n"Keys" : 77\n"Size" : 659456\n"Version" : \n',
    ],
    [
      'table',
      `+----------+----------+------------+------------+---------+
|   HASH   | REVISION | TOTAL KEYS | TOTAL SIZE | VERSION |
+----------+----------+------------+------------+---------+
| 9dcea5a7 |      122 |         77 |     660 kB |         |
+----------+----------+------------+------------+---------+
`,
    ],
  ];
  for (const [format, text] of formats) {
    test(format, () => shows(['snapshot', 'status', fixture('3.5.16'), '-w', format], text));
  }

  test('protobuf is refused', () =>
    refuses(
      ['snapshot', 'status', fixture('3.5.16'), '-w', 'protobuf'],
      4,
      'protobuf not supported as output format',
    ));
  test('an unknown format is refused before the file is looked for', () =>
    refuses(['snapshot', 'status', 'none', '-w', 'yaml'], 4, 'unsupported output format'));
  for (const args of [[], ['a', 'b']]) {
    test(`${args.length} arguments`, () =>
      refuses(
        ['snapshot', 'status', ...args],
        128,
        'snapshot status requires exactly one argument',
      ));
  }
  test('a missing file', () => {
    const path = join(dir, 'none');
    return refuses(['snapshot', 'status', path], 1, `stat ${path}: no such file or directory`);
  });
  test('a folder', () => refuses(['snapshot', 'status', dir], 1, `read ${dir}: is a directory`));
  test('something else than a database', () =>
    refuses(['snapshot', 'status', file('junk', Buffer.from('junk\n'))], 1, 'invalid database'));
  test('an empty file', () =>
    refuses(['snapshot', 'status', file('empty', Buffer.alloc(0))], 1, 'invalid database'));
  test('a file cut short', () => {
    const path = file('short', fixtureBytes('3.5.16').subarray(0, 100_000));
    return refuses(['snapshot', 'status', path], 1, /^Error: file truncated: 100000 bytes, /);
  });
  test('pages that are damaged', () => {
    const bytes = Buffer.from(fixtureBytes('3.5.16'));
    bytes.fill(0xff, 8 * 4096, 9 * 4096);
    return refuses(['snapshot', 'status', file('damaged', bytes)], 1, /^Error: .*page 8/);
  });
});

describe('hashkv', () => {
  test('is what the servers answered that the files are of', async () => {
    await shows(['hashkv', fixture('3.4.23')], '3612558063, 122, 100\n');
    await shows(['hashkv', fixture('3.5.16')], '1070611194, 122, 100\n');
  });
  test('at a revision', async () => {
    const { stdout } = await run('hashkv', fixture('3.5.16'), '--rev=110', '-w', 'json');
    assert.match(stdout, /^\{"hash":\d+,"hashRevision":110,"compactRevision":100\}\n$/);
  });
  test('refusals', async () => {
    await refuses(['hashkv'], 1, 'accepts 1 arg(s), received 0');
    await refuses(
      ['hashkv', fixture('3.5.16'), '--rev=123'],
      1,
      'mvcc: required revision is a future revision',
    );
    await refuses(
      ['hashkv', fixture('3.5.16'), '--rev=99'],
      1,
      'mvcc: required revision has been compacted',
    );
    await refuses(['hashkv', 'none'], 1, 'stat none: no such file or directory');
  });
});

describe('snapshot get', () => {
  const get = (...args: string[]) => ['snapshot', 'get', fixture('3.5.16'), ...args];

  test('a key', () => shows(get('/registry/leases/a'), '/registry/leases/a\nva\n'));
  test('its value alone', () => shows(get('/registry/leases/a', '--print-value-only'), 'va\n'));
  test('a prefix, in key order', () =>
    shows(
      get('/registry/leases/', '--prefix'),
      '/registry/leases/a\nva\n/registry/leases/b\nvb\n',
    ));
  test('everything', async () => {
    const { stdout } = await run(...get('', '--prefix', '-w', 'json'));
    const { header, count } = JSON.parse(stdout) as { header: unknown; count: number };
    assert.deepEqual(header, { revision: 122 });
    assert.equal(count, 77);
  });
  test('a key that is not there', () => shows(get('/registry/leases'), ''));
  test('as of an earlier revision', async () => {
    const key = '/registry/leases/a';
    const { stdout } = await run(...get(key, '-w', 'json'));
    const [{ mod_revision: revision }] = (JSON.parse(stdout) as { kvs: [{ mod_revision: number }] })
      .kvs;
    await shows(get(key, `--rev=${revision}`), `${key}\nva\n`);
    await shows(get(key, `--rev=${revision - 1}`), '');
  });
  test('refusals', async () => {
    await refuses(get(), 128, 'snapshot get requires a filename and a key');
    await refuses(get('a', '--rev=123'), 1, 'mvcc: required revision is a future revision');
    await refuses(get('a', '--rev=99'), 1, 'mvcc: required revision has been compacted');
  });
});

test('a file is never changed by looking at it', async () => {
  const bytes = fixtureBytes('3.5.16');
  const path = file('looked-at', bytes);
  for (const args of [['snapshot', 'status'], ['hashkv'], ['snapshot', 'get']]) {
    await run(...args, path, ...(args[1] === 'get' ? ['', '--prefix'] : []));
  }
  assert.ok(readFileSync(path).equals(bytes));
});

describe('snapshot diff', () => {
  const none = { version: 1, lease: 0n, createRevision: 2, modRevision: 2 };
  const record = (main: number, key: string, value: string, lease = 0n) =>
    [recordKey(main, 0), encodeRecord({ ...none, key, value, lease })] as const;
  const deleted = (main: number, key: string) =>
    [recordKey(main, 0, true), encodeTombstone(key)] as const;
  const saved = async (name: string, ...key: (readonly [string, Uint8Array])[]) =>
    file(name, await snapshotFile({ key: [...key], meta: [] }));

  test('the keys that only one has, and those with another value or lease', async () => {
    const a = await saved('a', record(2, 'a', '1'), record(3, 'b', '1'), record(4, 'c', '1'));
    const b = await saved(
      'b',
      record(2, 'a', '1'),
      record(3, 'b', '2'),
      record(4, 'c', '1', 7n),
      record(5, 'd', '1'),
      record(6, 'e', '1'),
      deleted(7, 'e'),
    );
    const plain = await run('snapshot', 'diff', a, b);
    assert.deepEqual(plain, { code: 1, stdout: '~ b\n~ c\n+ d\n', stderr: '' });
    const back = await run('snapshot', 'diff', b, a, '-w', 'json');
    assert.equal(back.stdout, '{"removed":["ZA=="],"added":[],"changed":["Yg==","Yw=="]}\n');
    assert.equal((await run('snapshot', 'diff', a, b, '--prefix=c')).stdout, '~ c\n');
    await shows(['snapshot', 'diff', a, b, '--prefix=a'], '');
  });

  test('refusals', async () => {
    const path = fixture('3.5.16');
    await shows(['snapshot', 'diff', path, path], '');
    await refuses(['snapshot', 'diff', path], 128, 'snapshot diff requires two filenames');
    await refuses(['snapshot', 'diff', path, 'none'], 1, 'stat none: no such file or directory');
    await refuses(
      ['snapshot', 'diff', file('junk2', Buffer.from('junk\n')), path],
      1,
      'invalid database',
    );
  });
});
