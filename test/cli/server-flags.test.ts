import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FlagSyntaxError, parseServerArguments } from '../../src/cli/server-flags.js';
import { findServerFlag, serverFlags } from '../../src/cli/server-flag-table.js';

function valuesOf(...args: string[]) {
  return parseServerArguments(args).values;
}

function refusalOf(...args: string[]): string {
  try {
    parseServerArguments(args);
  } catch (error) {
    assert.ok(error instanceof FlagSyntaxError, String(error));
    return error.message;
  }
  return assert.fail(`${args.join(' ')} was accepted`);
}

test('one dash and two are the same, and so are a blank and =', () => {
  for (const args of [['-name', 'a'], ['--name', 'a'], ['-name=a'], ['--name=a']]) {
    assert.equal(valuesOf(...args).text('name'), 'a', args.join(' '));
  }
});

test('a value may hold = and begin with a dash', () => {
  assert.equal(
    valuesOf('--initial-cluster', 'a=http://x:1').text('initial-cluster'),
    'a=http://x:1',
  );
  assert.equal(valuesOf('--initial-cluster=a=b=c').text('initial-cluster'), 'a=b=c');
  assert.equal(valuesOf('--name', '--version').text('name'), '--version');
  assert.equal(valuesOf('--quota-backend-bytes', '-1').number('quota-backend-bytes'), -1);
});

test('a boolean takes a value only behind =', () => {
  assert.equal(valuesOf('--pre-vote=false').bool('pre-vote'), false);
  const { values, rest } = parseServerArguments(['--unsafe-no-fsync', 'false']);
  assert.equal(values.bool('unsafe-no-fsync'), true);
  assert.deepEqual(rest, ['false']);
});

test('the last value counts', () => {
  assert.equal(valuesOf('--name', 'a', '--name', 'b').text('name'), 'b');
});

test('the first argument that is no flag ends the flags', () => {
  assert.deepEqual(parseServerArguments(['--name', 'a', 'x', '--name', 'b']).rest, [
    'x',
    '--name',
    'b',
  ]);
  assert.deepEqual(parseServerArguments(['--', '--name']).rest, ['--name']);
  assert.deepEqual(parseServerArguments(['-']).rest, ['-']);
});

test('help ends the reading, also before a flag that would be refused', () => {
  for (const word of ['-h', '--help', '-help']) {
    assert.equal(parseServerArguments([word, '--bogus']).help, true);
  }
});

test('numbers are read in every base that Go knows', () => {
  const texts: [string, number][] = [
    ['500', 500],
    ['0x1f4', 500],
    ['0b111', 7],
    ['0o17', 15],
    ['017', 15],
    ['1_000', 1000],
  ];
  for (const [text, value] of texts) {
    assert.equal(valuesOf('--snapshot-count', text).number('snapshot-count'), value, text);
  }
});

test('durations are milliseconds', () => {
  const texts: [string, number][] = [
    ['5s', 5000],
    ['1m30s', 90_000],
    ['1.5ms', 1.5],
    ['250µs', 0.25],
    ['0', 0],
  ];
  for (const [text, value] of texts) {
    assert.equal(
      valuesOf('--backend-batch-interval', text).number('backend-batch-interval'),
      value,
      text,
    );
  }
});

test('what Go refuses is refused in its words', () => {
  const refusals: [string[], string][] = [
    [['--bogus'], 'flag provided but not defined: -bogus'],
    [['-bogus=1'], 'flag provided but not defined: -bogus'],
    [['---name'], 'bad flag syntax: ---name'],
    [['--=x'], 'bad flag syntax: --=x'],
    [['--name'], 'flag needs an argument: -name'],
    [['--heartbeat-interval=abc'], 'invalid value "abc" for flag -heartbeat-interval: parse error'],
    [['--heartbeat-interval=-5'], 'invalid value "-5" for flag -heartbeat-interval: parse error'],
    [['--heartbeat-interval='], 'invalid value "" for flag -heartbeat-interval: parse error'],
    [
      ['--snapshot-count=99999999999999999999'],
      'invalid value "99999999999999999999" for flag -snapshot-count: value out of range',
    ],
    [
      ['--max-concurrent-streams=4294967296'],
      'invalid value "4294967296" for flag -max-concurrent-streams: value out of range',
    ],
    [['--pre-vote=maybe'], 'invalid boolean value "maybe" for -pre-vote: parse error'],
    [
      ['--backend-batch-interval', '5'],
      'invalid value "5" for flag -backend-batch-interval: parse error',
    ],
    [
      ['--initial-cluster-state', 'old'],
      'invalid value "old" for flag -initial-cluster-state: invalid value',
    ],
    [
      ['--listen-client-urls', '127.0.0.1:24790'],
      'invalid value "127.0.0.1:24790" for flag -listen-client-urls: ' +
        'parse "127.0.0.1:24790": first path segment in URL cannot contain colon',
    ],
    [
      ['--experimental-max-learners', 'x'],
      'invalid value "x" for flag -experimental-max-learners: parse error',
    ],
    [['--experimental-name', 'x'], 'flag provided but not defined: -experimental-name'],
  ];
  for (const [args, message] of refusals) assert.equal(refusalOf(...args), message);
});

test('a flag is known by its experimental name, and remembers it', () => {
  const values = valuesOf('--experimental-watch-progress-notify-interval=5s');
  assert.equal(values.number('watch-progress-notify-interval'), 5000);
  assert.deepEqual(values.spellings('watch-progress-notify-interval'), [
    'experimental-watch-progress-notify-interval',
  ]);
});

test('flags of old are read over', () => {
  const { former, rest } = parseServerArguments(['--force', '--test.v', '--snapshot=1', '-vv']);
  assert.deepEqual(former, ['force', 'test.v', 'snapshot', 'vv']);
  assert.deepEqual(rest, []);
});

test('every default is a value of its flag, and the default is no change', () => {
  const values = valuesOf();
  for (const flag of serverFlags) {
    assert.equal(findServerFlag(flag.name), flag);
    assert.equal(values.isChanged(flag), false);
    if (flag.kind !== 'string') {
      const given = valuesOf(`--${flag.name}=${flag.initial}`);
      assert.equal(given.isChanged(flag), false, flag.name);
    }
  }
});

test('a default in another spelling is no change', () => {
  const unchanged = ['--compact-hash-check-time=60s', '--metrics=basic', '--client-cert-auth=F'];
  for (const word of unchanged) {
    const name = word.slice(2).split('=')[0]!;
    assert.equal(valuesOf(word).isChanged(findServerFlag(name)!), false, word);
  }
  assert.equal(valuesOf('--client-cert-auth').isChanged(findServerFlag('client-cert-auth')!), true);
});
