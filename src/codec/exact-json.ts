/**
 * JSON whose integers are 64-bit ids: read as bigints and printed digit by digit, because a double
 * rounds them. Text is escaped as Go's encoder does, so that records are byte for byte etcd's.
 */
import { DecodeError } from './wire.js';

/** Integers are bigints, other numbers doubles. Objects have no prototype. */
export type ExactJson =
  null | boolean | string | bigint | number | ExactJson[] | { [name: string]: ExactJson };

const MAX_DEPTH = 100;
const space = /[ \t\n\r]*/y;
const stringToken = /"(?:[^"\\]|\\.)*"/sy;
const numberToken = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const wordToken = /true|false|null/y;
const words = new Map<string, ExactJson>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

class Parser {
  private position = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  document(): ExactJson {
    const value = this.value();
    this.take(space);
    if (this.position < this.text.length) this.fail();
    return value;
  }

  private value(): ExactJson {
    this.take(space);
    switch (this.text[this.position]) {
      case '{':
        return this.nested(() => this.object());
      case '[':
        return this.nested(() => this.array());
      case '"':
        return this.string();
      default:
        return this.number() ?? this.word();
    }
  }

  private nested<T>(parse: () => T): T {
    if (++this.depth > MAX_DEPTH) throw new DecodeError(`JSON nested deeper than ${MAX_DEPTH}`);
    this.position++;
    const value = parse();
    this.depth--;
    return value;
  }

  private object(): ExactJson {
    const object: Record<string, ExactJson> = Object.create(null) as Record<string, ExactJson>;
    if (this.accept('}')) return object;
    do {
      this.take(space);
      const name = this.string();
      if (!this.accept(':')) this.fail();
      object[name] = this.value();
    } while (this.accept(','));
    if (!this.accept('}')) this.fail();
    return object;
  }

  private array(): ExactJson[] {
    const array: ExactJson[] = [];
    if (this.accept(']')) return array;
    do array.push(this.value());
    while (this.accept(','));
    if (!this.accept(']')) this.fail();
    return array;
  }

  private string(): string {
    const token = this.take(stringToken) ?? this.fail();
    try {
      return JSON.parse(token) as string;
    } catch (error) {
      throw new DecodeError(`JSON string at ${this.position}`, { cause: error });
    }
  }

  private number(): number | bigint | undefined {
    const token = this.take(numberToken);
    if (token === undefined) return undefined;
    return /^-?\d+$/.test(token) ? BigInt(token) : Number(token);
  }

  private word(): ExactJson {
    const token = this.take(wordToken) ?? this.fail();
    return words.get(token)!;
  }

  private accept(character: string): boolean {
    this.take(space);
    if (this.text[this.position] !== character) return false;
    this.position++;
    return true;
  }

  private take(token: RegExp): string | undefined {
    token.lastIndex = this.position;
    const match = token.exec(this.text);
    if (match === null) return undefined;
    this.position += match[0].length;
    return match[0];
  }

  private fail(): never {
    throw new DecodeError(`unexpected JSON at ${this.position} of ${this.text.length}`);
  }
}

/** Throws {@link DecodeError} on anything but one JSON value. */
export function parseExactJson(text: string): ExactJson {
  return new Parser(text).document();
}

/** Members that are undefined are left out. */
export type Printable =
  null | boolean | string | bigint | number | readonly Printable[] | PrintableObject;
export interface PrintableObject {
  readonly [name: string]: Printable | undefined;
}

/** Compact JSON, members in their order. */
export function printExactJson(value: Printable): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string') return printString(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(printExactJson).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${printString(name)}:${printExactJson(member!)}`);
  return `{${members.join(',')}}`;
}

function isList(value: readonly Printable[] | PrintableObject): value is readonly Printable[] {
  return Array.isArray(value);
}

/** As Go does, also what would be markup or a line end elsewhere. */
function printString(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (match) => goEscapes.get(match) ?? match,
  );
}

const goEscapes = new Map([
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
]);
