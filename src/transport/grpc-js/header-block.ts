/**
 * The syntax of an HPACK header block (RFC 7541, section 6), without the tables behind it: enough
 * to find literals by their place.
 */
import { huffmanDecode } from '../../grpc/http2/huffman.js';

/** A string where it stands in a header block. */
export interface StringLiteral {
  /** Its encoded octets, not copied. */
  readonly encoded: Buffer;
  readonly huffman: boolean;
}

/** A value that is spelt out; its name may be in a table. */
export interface Literal {
  /** Of the table entry that has the name; 0: the name is spelt out. */
  readonly nameIndex: number;
  readonly name: StringLiteral | undefined;
  readonly value: StringLiteral;
}

/** All literals of the block, or undefined when it is malformed. */
export function literalsOf(block: Buffer): readonly Literal[] | undefined {
  const cursor = new Cursor(block);
  const literals: Literal[] = [];
  while (!cursor.done) {
    const first = block[cursor.at]!;
    if (first >= 0x80) cursor.integer(7);
    else if (first >= 0x40) literals.push(cursor.literal(6));
    else if (first >= 0x20) cursor.integer(5);
    else literals.push(cursor.literal(4));
  }
  return cursor.broken ? undefined : literals;
}

/** The characters of a string, or undefined when they cannot be decoded. */
export function decodeString({ encoded, huffman }: StringLiteral): string | undefined {
  return huffman ? huffmanDecode(encoded) : encoded.toString('latin1');
}

/** An integer takes at most so many octets after its first: enough for what fits into a frame. */
const MAX_MORE_OCTETS = 4;

/** Reads on and on; once `broken`, what it returns means nothing. */
class Cursor {
  at = 0;
  broken = false;

  constructor(private readonly block: Buffer) {}

  get done(): boolean {
    return this.broken || this.at >= this.block.length;
  }

  literal(prefixBits: number): Literal {
    const nameIndex = this.integer(prefixBits);
    const name = nameIndex === 0 ? this.string() : undefined;
    return { nameIndex, name, value: this.string() };
  }

  private string(): StringLiteral {
    const huffman = (this.block[this.at] ?? 0) >= 0x80;
    const length = this.integer(7);
    const start = this.at;
    this.at += length;
    if (this.at > this.block.length) this.broken = true;
    return { encoded: this.block.subarray(start, this.at), huffman };
  }

  /** Section 5.1. */
  integer(prefixBits: number): number {
    const limit = 2 ** prefixBits - 1;
    let value = this.octet() & limit;
    if (value < limit) return value;
    for (let i = 0; i < MAX_MORE_OCTETS; i++) {
      const octet = this.octet();
      value += (octet & 0x7f) * 2 ** (7 * i);
      if (octet < 0x80) return value;
    }
    this.broken = true;
    return 0;
  }

  private octet(): number {
    const octet = this.block[this.at++];
    if (octet === undefined) this.broken = true;
    return octet ?? 0;
  }
}
