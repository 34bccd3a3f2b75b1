import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ParseError, parseBool, parseInt64 } from '../../../src/cli/go-text/numbers.js';

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ParseError);
    return error.message;
  }
  throw new Error('not refused');
}

describe('parseInt64', () => {
  const good: [string, 0 | 10 | 16, bigint][] = [
    ['0', 0, 0n],
    ['+7', 0, 7n],
    ['-7', 0, -7n],
    ['0x1F', 0, 31n],
    ['0X_1f', 0, 31n],
    ['0b101', 0, 5n],
    ['0o17', 0, 15n],
    ['017', 0, 15n],
    ['0_7', 0, 7n],
    ['1_000', 0, 1000n],
    ['-0x8000000000000000', 0, -(1n << 63n)],
    ['9223372036854775807', 10, (1n << 63n) - 1n],
    ['-9223372036854775808', 10, -(1n << 63n)],
    ['08', 10, 8n],
    ['7fffffffffffffff', 16, (1n << 63n) - 1n],
    ['-1', 16, -1n],
  ];
  for (const [text, base, value] of good) {
    test(`${text} in base ${base}`, () => assert.equal(parseInt64(text, base), value));
  }

  const malformed: [string, 0 | 10 | 16][] = [
    ['', 0],
    ['-', 0],
    ['x', 0],
    ['08', 0],
    ['1__0', 0],
    ['_1', 0],
    ['1_', 0],
    ['0x', 0],
    [' 1', 0],
    ['1.5', 0],
    ['0x10', 10],
    ['1_0', 10],
    ['0x10', 16],
    ['zz', 16],
  ];
  for (const [text, base] of malformed) {
    test(`not "${text}" in base ${base}`, () => {
      const message = `strconv.ParseInt: parsing "${text}": invalid syntax`;
      assert.equal(
        refusal(() => parseInt64(text, base)),
        message,
      );
    });
  }

  const large: [string, 0 | 10 | 16][] = [
    ['9223372036854775808', 0],
    ['-9223372036854775809', 10],
    ['ffffffffffffffff', 16],
  ];
  for (const [text, base] of large) {
    test(`${text} in base ${base} is out of range`, () => {
      const message = `strconv.ParseInt: parsing "${text}": value out of range`;
      assert.equal(
        refusal(() => parseInt64(text, base)),
        message,
      );
    });
  }

  test('every int64 is read exactly, in decimal and in hex', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }), (value) => {
        assert.equal(parseInt64(value.toString(), 10), value);
        assert.equal(parseInt64(value.toString(16), 16), value);
        assert.equal(parseInt64(value.toString(), 0), value);
      }),
    );
  });

  test('the text is quoted in the message', () => {
    const message = 'strconv.ParseInt: parsing "\\xff\\n": invalid syntax';
    assert.equal(
      refusal(() => parseInt64('\xff\n', 10)),
      message,
    );
  });
});

test('parseBool knows exactly Go’s twelve words', () => {
  for (const text of ['1', 't', 'T', 'TRUE', 'true', 'True']) assert.equal(parseBool(text), true);
  for (const text of ['0', 'f', 'F', 'FALSE', 'false', 'False'])
    assert.equal(parseBool(text), false);
  const message = 'strconv.ParseBool: parsing "yes": invalid syntax';
  assert.equal(
    refusal(() => parseBool('yes')),
    message,
  );
});
