import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CompareResult, CompareTarget, type Compare } from '../../../src/api/index.js';
import { parseCompare } from '../../../src/cli/commands/txn-lines.js';

describe('parseCompare', () => {
  const good: [string, Omit<Compare, 'rangeEnd'>][] = [
    [
      'mod("k") > "0"',
      {
        key: 'k',
        result: CompareResult.greater,
        target: CompareTarget.mod,
        operand: { kind: 'mod', value: 0 },
      },
    ],
    [
      'val("\\xff") = "a b" and more',
      {
        key: '\xff',
        result: CompareResult.equal,
        target: CompareTarget.value,
        operand: { kind: 'value', value: 'a b' },
      },
    ],
    [
      'c(`k`)  !=  "-9223372036854775808"',
      {
        key: 'k',
        result: CompareResult.notEqual,
        target: CompareTarget.create,
        operand: { kind: 'create', value: -9223372036854775808n },
      },
    ],
    [
      'lease("k") < "7fffffffffffffff"',
      {
        key: 'k',
        result: CompareResult.less,
        target: CompareTarget.lease,
        operand: { kind: 'lease', value: 9223372036854775807n },
      },
    ],
  ];
  for (const [line, compare] of good) {
    test(line, () => assert.deepEqual(parseCompare(line), { rangeEnd: '', ...compare }));
  }

  const bad: [string, string][] = [
    ['x', 'malformed comparison: x'],
    ['foo("k") = "1"', 'malformed comparison: foo("k") = "1" (unknown target foo)'],
    ['mod("k" = "1"', 'malformed comparison: mod("k" = "1"; got mod("k")  ""'],
    ['mod(k) = "1"', 'malformed comparison: mod(k) = "1"; got mod("")  ""'],
    ['mod("k") =="1"', 'malformed comparison: mod("k") =="1"; got mod("k") =="1" ""'],
    ['val("k") = b', 'malformed comparison: val("k") = b; got val("k") = ""'],
    ['mod("k") = "x"', 'invalid txn compare request: mod("k") = "x"'],
    ['mod("k") ~ "1"', 'malformed comparison: mod("k") ~ "1" (unknown operator ~)'],
  ];
  for (const [line, message] of bad) {
    test(`not ${line}`, () => {
      assert.throws(() => parseCompare(line), { message, exitCode: 3 });
    });
  }
});
