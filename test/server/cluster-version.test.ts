import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideVersion } from '../../src/server/cluster-version-monitor.js';

test('the first decision is the lowest minor, or 3.0.0 while a member is unknown', () => {
  assert.equal(decideVersion(undefined, ['3.6.16', '3.5.2', '3.6.0']), '3.5.0');
  assert.equal(decideVersion(undefined, ['3.6.16', undefined]), '3.0.0');
});

test('the version rises when all members are newer, and never falls', () => {
  assert.equal(decideVersion('3.5.0', ['3.6.16', '3.6.0']), '3.6.0');
  assert.equal(decideVersion('3.5.0', ['3.6.16', '3.5.9']), undefined);
  assert.equal(decideVersion('3.6.0', ['3.5.9', '3.6.0']), undefined);
  assert.equal(decideVersion('3.5.0', ['3.6.16', undefined]), undefined);
  assert.equal(decideVersion('3.5.0', ['3.6.16', 'nonsense']), undefined);
});

test('minors compare as numbers', () => {
  assert.equal(decideVersion('3.9.0', ['3.10.1']), '3.10.0');
});
