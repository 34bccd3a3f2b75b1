/** pflag's grammar, checked case by case against what etcdctl does with the same words. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FlagError, parseFlags, type FlagSpec } from '../../src/cli/flag-set.js';

const specs: FlagSpec[] = [
  { name: 'prefix', kind: 'bool', help: '' },
  { name: 'interactive', short: 'i', kind: 'bool', help: '' },
  { name: 'limit', kind: 'int', help: '' },
  { name: 'write-out', short: 'w', kind: 'string', initial: 'simple', help: '' },
  { name: 'timeout', kind: 'duration', initial: '5s', help: '' },
  { name: 'endpoints', kind: 'list', initial: 'a,b', help: '' },
];

function message(...args: string[]): string {
  try {
    parseFlags(specs, args);
  } catch (error) {
    assert.ok(error instanceof FlagError);
    return error.message;
  }
  throw new Error(`accepted: ${args.join(' ')}`);
}

describe('accepted', () => {
  test('without flags, the initial values', () => {
    const { flags, positional } = parseFlags(specs, ['k', 'v']);
    assert.deepEqual(positional, ['k', 'v']);
    assert.equal(flags.bool('prefix'), false);
    assert.equal(flags.int('limit'), 0);
    assert.equal(flags.string('write-out'), 'simple');
    assert.equal(flags.duration('timeout'), 5_000_000_000n);
    assert.deepEqual(flags.list('endpoints'), ['a', 'b']);
    assert.equal(flags.isGiven('limit'), false);
  });

  test('flags between arguments, with = and with a blank', () => {
    const { flags, positional } = parseFlags(specs, ['--limit', '3', 'k', '--write-out=json', 'v']);
    assert.deepEqual(positional, ['k', 'v']);
    assert.equal(flags.int('limit'), 3);
    assert.equal(flags.string('write-out'), 'json');
    assert.equal(flags.isGiven('limit'), true);
  });

  test('a boolean does not take the word after it', () => {
    const { flags, positional } = parseFlags(specs, ['--prefix', 'false']);
    assert.equal(flags.bool('prefix'), true);
    assert.deepEqual(positional, ['false']);
    assert.equal(parseFlags(specs, ['--prefix=F']).flags.bool('prefix'), false);
  });

  const shorts: [string[], string, boolean][] = [
    [['-w', 'json'], 'json', false],
    [['-wjson'], 'json', false],
    [['-w=json'], 'json', false],
    [['-iw', 'json'], 'json', true],
    [['-iwjson'], 'json', true],
    [['-iw=json'], 'json', true],
    [['-w='], '=', false],
    [['-i=false', '-wi'], 'i', false],
    [['-w', '-i'], '-i', false],
    [['-w', '--'], '--', false],
  ];
  for (const [args, format, interactive] of shorts) {
    test(args.join(' '), () => {
      const { flags } = parseFlags(specs, args);
      assert.equal(flags.string('write-out'), format);
      assert.equal(flags.bool('interactive'), interactive);
    });
  }

  test('-- ends the flags, and it is known what stood before it', () => {
    const parsed = parseFlags(specs, ['k', '--prefix', '--', '--limit', '--', '-x']);
    assert.deepEqual(parsed.positional, ['k', '--limit', '--', '-x']);
    assert.equal(parsed.beforeSeparator, 1);
    assert.equal(parsed.separated, true);
    assert.equal(parseFlags(specs, ['k']).separated, false);
  });

  test('a lone - is an argument', () => {
    assert.deepEqual(parseFlags(specs, ['-']).positional, ['-']);
  });

  test('a list is replaced by its first value and added to by later ones', () => {
    const { flags } = parseFlags(specs, ['--endpoints=x,y', '--endpoints', 'z']);
    assert.deepEqual(flags.list('endpoints'), ['x', 'y', 'z']);
    assert.deepEqual(parseFlags(specs, ['--endpoints=']).flags.list('endpoints'), []);
  });

  test('int64 beyond 2^53 stays exact', () => {
    const { flags } = parseFlags(specs, ['--limit=9223372036854775807']);
    assert.equal(flags.int('limit'), 9223372036854775807n);
  });

  test('the last of several values counts', () => {
    assert.equal(parseFlags(specs, ['--limit=1', '--limit=2']).flags.int('limit'), 2);
  });
});

describe('refused', () => {
  const cases: [string[], string][] = [
    [['--nonsense'], 'unknown flag: --nonsense'],
    [['--nonsense=1'], 'unknown flag: --nonsense'],
    [['--limi=1'], 'unknown flag: --limi'],
    [['--w=json'], 'unknown flag: --w'],
    [['-x'], "unknown shorthand flag: 'x' in -x"],
    [['-key'], "unknown shorthand flag: 'k' in -key"],
    [['-ix'], "unknown shorthand flag: 'x' in -x"],
    [['---x'], 'bad flag syntax: ---x'],
    [['--=x'], 'bad flag syntax: --=x'],
    [['--limit'], 'flag needs an argument: --limit'],
    [['-w'], "flag needs an argument: 'w' in -w"],
    [['-iw'], "flag needs an argument: 'w' in -w"],
    [
      ['--limit=x'],
      'invalid argument "x" for "--limit" flag: strconv.ParseInt: parsing "x": invalid syntax',
    ],
    [
      ['--limit', 'k', 'v'],
      'invalid argument "k" for "--limit" flag: strconv.ParseInt: parsing "k": invalid syntax',
    ],
    [
      ['-i=maybe'],
      'invalid argument "maybe" for "-i, --interactive" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [
      ['--timeout=5'],
      'invalid argument "5" for "--timeout" flag: time: missing unit in duration "5"',
    ],
  ];
  for (const [args, text] of cases) {
    test(args.join(' '), () => assert.equal(message(...args), text));
  }
});
