import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { latin1FromUtf8 } from '../../../src/bytes/index.js';
import { drawTable, wrapWords } from '../../../src/cli/printers/table.js';
import { captured } from '../support/captures.js';

test('a status with an alarm, as etcdctl 3.5 drew it', () => {
  const drawn = drawTable({
    header: [
      'endpoint',
      'ID',
      'version',
      'db size',
      'is leader',
      'is learner',
      'raft term',
      'raft index',
      'raft applied index',
      'errors',
    ],
    rows: [
      [
        '127.0.0.1:24796',
        '89e83b944eb6ce48',
        '3.5.16',
        '20 kB',
        'true',
        'false',
        '2',
        '11',
        '11',
        'memberID:9937258085954801224 alarm:NOSPACE ',
      ],
    ],
  });
  assert.equal(drawn, captured('35-219-nospace-status-table'));
});

test('without rows', () => {
  const drawn = drawTable({ header: ['hash_revision', 'x'], rows: [] });
  const rule = '+---------------+---+\n';
  assert.equal(drawn, `${rule}| HASH REVISION | X |\n${rule}${rule}`);
});

test('an odd rest of the width goes to the right of a heading', () => {
  assert.ok(drawTable({ header: ['id'], rows: [['abcde']] }).includes('|  ID   |\n'));
});

test('width is counted in columns of the terminal', () => {
  const drawn = drawTable({ header: ['n'], rows: [[latin1FromUtf8('日é')]] });
  assert.ok(drawn.startsWith('+-----+\n'));
});

test('a long word widens its column', () => {
  const word = 'u'.repeat(40);
  const drawn = drawTable({ header: ['url'], rows: [[`a ${word} b`]] });
  assert.ok(drawn.includes(`| ${' '.repeat(39)}a |\n| ${word} |\n| ${' '.repeat(39)}b |\n`));
});

describe('wrapWords', () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 }), {
    minLength: 1,
    maxLength: 8,
  });

  test('keeps every word, and no line is wider than it must be', () => {
    fc.assert(
      fc.property(words, (list) => {
        const lines = wrapWords(list, 10);
        assert.equal(lines.join(' '), list.join(' '));
        const room = Math.max(10, ...list.map(({ length }) => length));
        for (const { length } of lines) assert.ok(length <= room);
      }),
    );
  });

  test('leaves the least sum of squares, as trying all ways to break shows', () => {
    fc.assert(
      fc.property(words, (list) => {
        const room = Math.max(10, ...list.map(({ length }) => length));
        assert.equal(raggedness(wrapWords(list, 10), room), leastRaggedness(list, room));
      }),
    );
  });

  function raggedness(lines: readonly string[], room: number): number {
    return lines.slice(0, -1).reduce((sum, { length }) => sum + (room - length) ** 2, 0);
  }

  function leastRaggedness(list: readonly string[], room: number): number {
    let least = Infinity;
    for (let breaks = 0; breaks < 2 ** (list.length - 1); breaks++) {
      const lines: string[] = [list[0]!];
      list.slice(1).forEach((word, i) => {
        if (breaks & (1 << i)) lines.push(word);
        else lines.push(`${lines.pop()} ${word}`);
      });
      if (lines.every(({ length }) => length <= room)) {
        least = Math.min(least, raggedness(lines, room));
      }
    }
    return least;
  }
});
