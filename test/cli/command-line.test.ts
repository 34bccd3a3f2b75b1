/** Whole command lines that need no server. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CTL, KVORUMCTL } from '../../src/cli/ctl-commands.js';
import { run as runProgram, type Shown } from './support/run.js';

function run(args: readonly string[], env: Record<string, string> = {}): Promise<Shown> {
  return runProgram(KVORUMCTL, args, { env });
}

describe('help', () => {
  const everyPath = CTL.subcommands!.flatMap((command) => [
    [command.name],
    ...(command.subcommands ?? []).map(({ name }) => [command.name, name]),
  ]);
  for (const path of [[], ...everyPath]) {
    test(`${path.join(' ')} --help fits a screen`, async () => {
      const { code, stdout, stderr } = await run([...path, '--help']);
      const lines = stdout.trimEnd().split('\n');
      assert.equal(code, 0);
      assert.equal(stderr, '');
      assert.match(lines[0]!, new RegExp(`^Usage: kvorumctl ?${path.join(' ')}`));
      assert.ok(lines.length <= 45, `${lines.length} lines`);
      for (const line of lines)
        assert.ok(Buffer.from(line, 'latin1').toString().length <= 80, line);
    });
  }

  test('names every command and every flag', async () => {
    const { stdout } = await run([]);
    for (const [name] of everyPath) assert.ok(stdout.includes(`  ${name} `), name);
    for (const { name } of CTL.sharedFlags!) assert.ok(stdout.includes(`--${name}`), name);
    const get = await run(['help', 'get']);
    for (const { name } of CTL.subcommands![0]!.flags!) assert.ok(get.stdout.includes(`--${name}`));
  });

  test('of a topic that does not exist', async () => {
    const { code, stdout, stderr } = await run(['help', 'x', 'y']);
    assert.equal(code, 0);
    assert.match(stdout, /^Usage: kvorumctl <command>/);
    assert.equal(stderr, 'Unknown help topic [`x` `y`]\n');
  });
});

describe('refusals', () => {
  test('an unknown command', async () => {
    assert.deepEqual(await run(['gett']), {
      code: 1,
      stdout: '',
      stderr:
        'Error: unknown command "gett" for "kvorumctl"\n\nDid you mean this?\n\tget\n\nRun \'kvorumctl --help\' for usage.\n',
    });
    assert.deepEqual(await run(['xyzzy']), {
      code: 1,
      stdout: '',
      stderr:
        'Error: unknown command "xyzzy" for "kvorumctl"\nRun \'kvorumctl --help\' for usage.\n',
    });
  });

  test('a bad flag: usage on stdout, an error and an empty line on stderr', async () => {
    const { code, stdout, stderr } = await run(['get', '--nonsense']);
    assert.equal(code, 1);
    assert.match(stdout, /^Usage: kvorumctl get /);
    assert.equal(stderr, 'Error: unknown flag: --nonsense\n\n');
  });

  const lines: [string[], number, string][] = [
    [['get'], 128, 'get command needs one argument as key and an optional argument as range_end'],
    [['put'], 128, 'put command needs 1 argument and input from stdin or 2 arguments'],
    [['put', 'k'], 128, 'put command needs 1 argument and input from stdin or 2 arguments'],
    [
      ['put', 'k', '--lease=\xff'],
      128,
      'put command needs 1 argument and input from stdin or 2 arguments',
    ],
    [
      ['put', 'k', 'v', '--lease=\xff'],
      128,
      'bad lease ID (strconv.ParseInt: parsing "\\xff": invalid syntax), expecting ID in Hex',
    ],
    [['alarm', 'list', 'x'], 128, 'alarm list command accepts no arguments'],
    [['move-leader', 'zz'], 128, 'strconv.ParseUint: parsing "zz": invalid syntax'],
    [
      ['member', 'remove', '+1'],
      128,
      'bad member ID arg (strconv.ParseUint: parsing "+1": invalid syntax), expecting ID in Hex',
    ],
    [
      ['member', 'add', 'a', 'http://h:1'],
      128,
      'too many arguments, did you mean --peer-urls=http://h:1',
    ],
    [
      ['member', 'add', 'a', '--peer-urls=h'],
      1,
      'URL scheme must be http, https, unix, or unixs: h',
    ],
    [['snapshot', 'save'], 128, 'snapshot save expects one argument <filename>'],
    [
      ['snapshot', 'save', 'x', '--endpoints=a:1,b:1'],
      5,
      'snapshot must be requested to one selected node, not multiple [a:1 b:1]',
    ],
    [['txn', 'x'], 128, 'txn command does not accept argument'],
    [['txn'], 3, 'EOF'],
    [['watch'], 128, 'bad number of arguments'],
    [['compaction', 'abc'], 1, 'strconv.ParseInt: parsing "abc": invalid syntax'],
    [['get', 'k', '-w', 'yaml'], 4, 'unsupported output format'],
    [['get', 'k', '--endpoints='], 2, 'etcdclient: no available endpoints'],
    [['get', 'k', '--cert='], 128, 'empty string is passed to --cert option'],
    [['get', 'k', '--cacert=/x'], 128, 'open /x: no such file or directory'],
    [['get', 'k', '--cert=/x'], 128, 'KeyFile and CertFile must both be present[key: , cert: /x]'],
    [['get', 'k', '--command-timeout=0'], 1, 'context deadline exceeded'],
    [['get', 'k', '--endpoints=no-port', '--command-timeout=30ms'], 1, 'context deadline exceeded'],
  ];
  for (const [args, code, message] of lines) {
    test(args.join(' '), async () => {
      assert.deepEqual(await run(args), { code, stdout: '', stderr: `Error: ${message}\n` });
    });
  }
});

test('--debug lists the settings in force', async () => {
  const { stderr } = await run(['get', 'k', '--debug', '--command-timeout=0'], {
    ETCDCTL_ENDPOINTS: 'a:1',
  });
  assert.match(stderr, /^ETCDCTL_CACERT=\n/);
  assert.match(stderr, /\nETCDCTL_ENDPOINTS=\[a:1\]\n/);
});

test('version prints etcdctl’s lines and its own', async () => {
  const { code, stdout } = await run(['version']);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^etcdctl version: 3\.6\.16\nAPI version: 3\.6\nkvorumctl version: \d+\.\d+\.\d+\S*\n$/,
  );
});
