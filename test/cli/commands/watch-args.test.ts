import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { WATCH_FLAGS } from '../../../src/cli/commands/kv-flags.js';
import {
  checkEnvironment,
  watchArguments,
  watchRequest,
} from '../../../src/cli/commands/watch-args.js';
import { parseFlags } from '../../../src/cli/flag-set.js';

const parse = (...args: string[]): ReturnType<typeof parseFlags> => parseFlags(WATCH_FLAGS, args);

describe('watchArguments', () => {
  test('keys before --, a command after it', () => {
    const parsed = parse('k', '--rev=2', 'l', '--', 'echo', '--prefix');
    assert.deepEqual(watchArguments(parsed, {}), { keys: ['k', 'l'], exec: ['echo', '--prefix'] });
  });

  test('keys from the environment', () => {
    const env = { ETCDCTL_WATCH_KEY: 'k', ETCDCTL_WATCH_RANGE_END: 'l' };
    assert.deepEqual(watchArguments(parse('--', 'echo'), env), {
      keys: ['k', 'l'],
      exec: ['echo'],
    });
    assert.deepEqual(watchArguments(parse(), { ETCDCTL_WATCH_KEY: 'k' }), {
      keys: ['k'],
      exec: [],
    });
  });

  const bad: [string[], Record<string, string>, string][] = [
    [[], {}, 'bad number of arguments'],
    [['--', 'echo'], {}, 'bad number of arguments'],
    [['k', '--'], {}, 'bad number of arguments (found separator --, but no commands)'],
    [
      ['k'],
      { ETCDCTL_WATCH_KEY: 'k' },
      'bad number of arguments (found conflicting environment key)',
    ],
  ];
  for (const [args, env, message] of bad) {
    test(`not ${args.join(' ')} with ${JSON.stringify(env)}`, () => {
      assert.throws(() => watchArguments(parse(...args), env), { message, exitCode: 128 });
    });
  }
});

test('a range end alone in the environment is refused', () => {
  assert.throws(() => checkEnvironment({ ETCDCTL_WATCH_RANGE_END: 'l' }), {
    message: 'ETCDCTL_WATCH_KEY is empty but got ETCDCTL_WATCH_RANGE_END="l"',
    exitCode: 128,
  });
  checkEnvironment({ ETCDCTL_WATCH_RANGE_END: 'l', ETCDCTL_WATCH_KEY: 'k' });
  checkEnvironment({});
});

describe('watchRequest', () => {
  test('flags and keys', () => {
    const parsed = parse('--prefix', '--prev-kv', '--rev=9223372036854775807', '--progress-notify');
    assert.deepEqual(watchRequest(['k'], parsed), {
      key: 'k',
      rangeEnd: 'l',
      startRevision: 9223372036854775807n,
      progressNotify: true,
      filters: [],
      prevKv: true,
      watchId: 0n,
      fragment: false,
    });
  });

  test('two keys are a range; of three only the first counts, as in etcdctl', () => {
    assert.equal(watchRequest(['k', 'm'], parse()).rangeEnd, 'm');
    assert.equal(watchRequest(['k', 'm', 'n'], parse()).rangeEnd, '');
  });

  test('a range and --prefix exclude each other', () => {
    assert.throws(() => watchRequest(['k', 'm'], parse('--prefix')), { exitCode: 128 });
  });
});
