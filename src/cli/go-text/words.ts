/** Splits a line into words as etcdctl's interactive forms do. */
import { goUnquote } from './quote.js';
import { replaceInvalid } from './utf8.js';

/**
 * Blanks separate words; "…" is a Go string literal, '…' is taken as it stands. A quote that is never
 * closed is dropped, one in the middle of a word belongs to it. undefined when a literal is malformed
 * (`"\z"`).
 */
export function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  for (const [word] of line.matchAll(WORD)) {
    const meant = meaning(word);
    if (meant === undefined) return undefined;
    words.push(meant);
  }
  return words;
}

const WORD = /"(?:[^"\\]|\\.)*"|'[^']*'|[^'"\t\n\f\r ][^\t\n\f\r ]*[^'"\t\n\f\r ]?/g;

function meaning(word: string): string | undefined {
  if (word.startsWith("'")) return word.slice(1, -1);
  return word.startsWith('"') ? goUnquote(replaceInvalid(word)) : word;
}
