import assert from 'node:assert/strict';
import test from 'node:test';
import { userKeyOfRecord } from '../../src/bolt/record-key.js';
import { keyRecord, tombstone } from './support/records.js';

const parse = (hex: string) => userKeyOfRecord(Buffer.from(hex, 'hex'));

test('of a record, of a tombstone, of the empty record that marks a restore', () => {
  assert.equal(userKeyOfRecord(keyRecord(2 ** 52, 0, 'some key', 'x'.repeat(300))[1]), 'some key');
  assert.equal(userKeyOfRecord(tombstone(2, 0, 'gone')[1]), 'gone');
  assert.equal(userKeyOfRecord(new Uint8Array(0)), '');
});

test('bytes stay bytes', () => {
  assert.equal(parse('0a0300ff80'), '\x00\xff\x80');
});

test('fields in any order, unknown ones passed over, the last key wins', () => {
  assert.equal(parse('10020a0161'), 'a');
  assert.equal(parse('0a01610a0162'), 'b');
  assert.equal(parse('3a0178' + '4001' + '4d00000000' + '510000000000000000' + '0a0161'), 'a');
  assert.equal(parse('30ffffffffffffffffff010a0161'), 'a');
});

test('malformed', () => {
  const malformed = {
    'key cut short': '0a0261',
    'length missing': '0a',
    'tag cut short': '80',
    'key as a number': '0801',
    'lease as bytes': '3200',
    'field 0': '0001',
    'a group': '3b3c',
    'a varint without end': '10' + 'ff'.repeat(10) + '01',
    'fixed field cut short': '4d0000',
  };
  for (const [what, hex] of Object.entries(malformed)) assert.equal(parse(hex), undefined, what);
});
