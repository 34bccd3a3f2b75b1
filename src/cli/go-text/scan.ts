/**
 * The corner of Go's fmt.Sscanf that the txn command's comparisons need: a cursor over one line.
 * Every verb first passes over blanks.
 */
import { goUnquote } from './quote.js';
import { replaceInvalid } from './utf8.js';

const SPACES = /[\t\v\f\r ]*/y;
const STRING_LITERAL = /"(?:[^"\\]|\\[^])*"|`[^`]*`/y;
const WORD = /[^\t\n\v\f\r ]+/y;

export class Scanner {
  private at = 0;

  constructor(private readonly text: string) {}

  /** `%q`: a Go string literal; undefined (and no way on) when there is none. */
  quoted(): string | undefined {
    this.take(SPACES);
    const literal = this.take(STRING_LITERAL);
    return literal === undefined ? undefined : goUnquote(replaceInvalid(literal));
  }

  /** `%s`: the characters up to the next blank. */
  word(): string | undefined {
    this.take(SPACES);
    return this.take(WORD);
  }

  /** A character of the format that the text must repeat. */
  literal(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  /** A blank in the format: at least one in the text. */
  blank(): boolean {
    return this.take(SPACES) !== '';
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }
}
