import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEnvironment, variableName } from '../../src/cli/server-environment.js';
import { parseServerArguments } from '../../src/cli/server-flags.js';

function read(environment: Record<string, string | undefined>, ...args: string[]) {
  const { values } = parseServerArguments(args);
  return { values, ...readEnvironment(values, environment) };
}

test('a variable sets its flag, and is logged', () => {
  const { values, lines, refusal } = read({ PATH: '/bin', ETCD_SNAPSHOT_COUNT: '5000' });
  assert.equal(refusal, undefined);
  assert.equal(values.number('snapshot-count'), 5000);
  assert.equal(values.isSet('snapshot-count'), true);
  assert.deepEqual(lines, [
    {
      level: 'info',
      message: 'recognized and used environment variable',
      fields: { 'variable-name': 'ETCD_SNAPSHOT_COUNT', 'variable-value': '5000' },
    },
  ]);
});

test('a former name is a variable too', () => {
  const { values } = read({ ETCD_EXPERIMENTAL_MAX_LEARNERS: '3' });
  assert.equal(values.number('max-learners'), 3);
  assert.equal(variableName('experimental-max-learners'), 'ETCD_EXPERIMENTAL_MAX_LEARNERS');
});

test('an unknown variable is a warning', () => {
  const { lines, refusal } = read({ ETCD_FOO: '1', ETCDCTL_API: '3', etcd_name: 'x' });
  assert.equal(refusal, undefined);
  assert.deepEqual(lines, [
    {
      level: 'warn',
      message: 'unrecognized environment variable',
      fields: { 'environment-variable': 'ETCD_FOO=1' },
    },
  ]);
});

test('flag and variable together are fatal, even when the variable is empty', () => {
  for (const value of ['5000', '']) {
    const { refusal } = read({ ETCD_SNAPSHOT_COUNT: value }, '--snapshot-count', '7000');
    assert.deepEqual(refusal, {
      level: 'fatal',
      message:
        'conflicting environment variable is shadowed by corresponding command-line flag ' +
        '(either unset environment variable or disable flag)',
      fields: { 'environment-variable': 'ETCD_SNAPSHOT_COUNT' },
    });
  }
});

test('a variable with a bad value is refused', () => {
  const { refusal } = read({ ETCD_HEARTBEAT_INTERVAL: 'abc' });
  assert.deepEqual(refusal?.fields, {
    error: 'invalid value "abc" for ETCD_HEARTBEAT_INTERVAL: parse error',
  });
});

test('variables that are no flags, and empty ones, are ignored', () => {
  const { values, lines, refusal } = read({
    ETCD_VERSION: 'v3.6.0',
    ETCD_UNSUPPORTED_ARCH: 'arm64',
    ETCD_NAME: undefined,
  });
  assert.deepEqual([lines, refusal, values.isSet('version')], [[], undefined, false]);
  assert.equal(read({ ETCD_NAME: '' }).values.text('name'), 'default');
});
