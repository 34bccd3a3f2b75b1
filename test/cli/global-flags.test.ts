import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CommandError } from '../../src/cli/exit.js';
import { parseFlags } from '../../src/cli/flag-set.js';
import { GLOBAL_FLAGS, applyEnvironment, settings } from '../../src/cli/global-flags.js';

describe('applyEnvironment', () => {
  test('sets what was not given', () => {
    const { flags } = parseFlags(GLOBAL_FLAGS, ['--hex']);
    const env = {
      ETCDCTL_ENDPOINTS: 'a:1,b:2',
      ETCDCTL_DIAL_TIMEOUT: '3s',
      ETCDCTL_WRITE_OUT: 'json',
    };
    assert.deepEqual(applyEnvironment(flags, env), []);
    assert.deepEqual(flags.list('endpoints'), ['a:1', 'b:2']);
    assert.equal(flags.duration('dial-timeout'), 3_000_000_000n);
    assert.equal(flags.string('write-out'), 'json');
  });

  test('a flag given in both places ends the command, even if equal', () => {
    const { flags } = parseFlags(GLOBAL_FLAGS, ['-w', 'json']);
    assert.throws(
      () => applyEnvironment(flags, { ETCDCTL_WRITE_OUT: 'json' }),
      (error) => error instanceof CommandError && error.exitCode === 1,
    );
  });

  test('what does not parse, and what is empty, is passed over', () => {
    const { flags } = parseFlags(GLOBAL_FLAGS, ['-w', 'json']);
    const env = { ETCDCTL_DIAL_TIMEOUT: 'xyz', ETCDCTL_WRITE_OUT: '', ETCDCTL_ENDPOINTS: '' };
    assert.deepEqual(applyEnvironment(flags, env), []);
    assert.equal(flags.duration('dial-timeout'), 2_000_000_000n);
    assert.deepEqual(flags.list('endpoints'), ['127.0.0.1:2379']);
  });

  test('unknown names are warned of; ETCDCTL_API and those of watch are known', () => {
    const { flags } = parseFlags(GLOBAL_FLAGS, []);
    const env = {
      ETCDCTL_API: '3',
      ETCDCTL_WATCH_KEY: 'k',
      ETCDCTL_WATCH_RANGE_END: 'l',
      ETCDCTL_PREFIX: 'true',
      OTHER: 'x',
    };
    assert.deepEqual(applyEnvironment(flags, env), [
      'Warning: unrecognized environment variable ETCDCTL_PREFIX',
    ]);
  });
});

test('settings lists every flag as its variable', () => {
  const { flags } = parseFlags(GLOBAL_FLAGS, ['--endpoints=a,b']);
  const lines = settings(flags);
  assert.equal(lines.length, GLOBAL_FLAGS.length);
  assert.ok(lines.includes('ETCDCTL_ENDPOINTS=[a,b]'));
  assert.ok(lines.includes('ETCDCTL_COMMAND_TIMEOUT=5s'));
});
