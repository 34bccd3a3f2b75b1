import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { latin1FromUtf8 } from '../../../src/bytes/index.js';
import { goQuote, goQuoteAll, goUnquote } from '../../../src/cli/go-text/quote.js';

const bytes = fc
  .uint8Array({ maxLength: 40 })
  .map((array) => Buffer.from(array).toString('latin1'));
const utf8 = fc.string({ unit: 'binary' }).map(latin1FromUtf8);

describe('goQuote (%q)', () => {
  const cases: [string, string][] = [
    ['', '""'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['\x07\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
    ['\0\x01\xff\n', '"\\x00\\x01\\xff\\n"'],
    ['\x7f', '"\\x7f"'],
    // A surrogate, an overlong form and a code point beyond the last are single bad bytes.
    ['\xed\xa0\x80\xc0\x80\xf4\x90\x80\x80', '"\\xed\\xa0\\x80\\xc0\\x80\\xf4\\x90\\x80\\x80"'],
    ['\xe2\x82', '"\\xe2\\x82"'],
    ["'`", '"\'`"'],
  ];
  for (const [text, quoted] of cases) {
    test(quoted, () => assert.equal(goQuote(text), quoted));
  }

  test('of runes beyond ASCII only printable ones stand for themselves', () => {
    const text = latin1FromUtf8(
      '\u00e9\u00ad\u200b\u3000\ufffd\u{1f600}\ue000\u0378\u00a0\u2028\u{e0001}',
    );
    const quoted = latin1FromUtf8(
      '"\u00e9\\u00ad\\u200b\\u3000\ufffd\u{1f600}\\ue000\\u0378\\u00a0\\u2028\\U000e0001"',
    );
    assert.equal(goQuote(text), quoted);
  });

  test('lists stand in brackets', () => assert.equal(goQuoteAll(['sh', 'a b']), '["sh" "a b"]'));
});

describe('goUnquote', () => {
  const cases: [string, string | undefined][] = [
    ['"a\\x00\\xff"', 'a\0\xff'],
    ['"\\u00e9"', '\xc3\xa9'],
    ['"\\U0001f600"', '\xf0\x9f\x98\x80'],
    ['"\\101\\377"', 'A\xff'],
    ['"\\a\\b\\f\\n\\r\\t\\v\\\\\\""', '\x07\b\f\n\r\t\v\\"'],
    ['`raw \\n\r"`', 'raw \\n"'],
    // A byte that is not UTF-8 is read as the replacement character.
    ['"\xff"', '\xef\xbf\xbd'],
    ['"\\z"', undefined],
    ['"\\\'"', undefined],
    ['"\\400"', undefined],
    ['"\\12"', undefined],
    ['"\\x1"', undefined],
    ['"\\ud800"', undefined],
    ['"\\U00110000"', undefined],
    ['"a"b"', undefined],
    ['"a', undefined],
    ['"', undefined],
    ['', undefined],
    ["'a'", undefined],
    ['`a`b`', undefined],
    ['"\\"', undefined],
  ];
  for (const [literal, meaning] of cases) {
    test(JSON.stringify(literal), () => assert.equal(goUnquote(literal), meaning));
  }
});

test('what is quoted unquotes to itself', () => {
  fc.assert(
    fc.property(fc.oneof(bytes, utf8), (text) => assert.equal(goUnquote(goQuote(text)), text)),
  );
});
