import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitWords } from '../../../src/cli/go-text/words.js';

const cases: [string, string[] | undefined][] = [
  ['', []],
  ['  put   k\tv ', ['put', 'k', 'v']],
  ['put "q q" "v\\x01\\u00e9"', ['put', 'q q', 'v\x01\xc3\xa9']],
  ["put 'raw \\n' x", ['put', 'raw \\n', 'x']],
  ['put k ""', ['put', 'k', '']],
  // A quote that is not closed is dropped; one inside a word belongs to it.
  ['put k "open', ['put', 'k', 'open']],
  ["put k 'open", ['put', 'k', 'open']],
  ['put k a\\"b', ['put', 'k', 'a\\"b']],
  ['put k "a"b', ['put', 'k', 'a', 'b']],
  ['put k a"b c"', ['put', 'k', 'a"b', 'c"']],
  ['put k "\\z"', undefined],
  // Bytes that other tables call blanks are none here.
  ['put \xa0\x85 k', ['put', '\xa0\x85', 'k']],
];
for (const [line, words] of cases) {
  test(JSON.stringify(line), () => assert.deepEqual(splitWords(line), words));
}
