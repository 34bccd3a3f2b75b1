/**
 * HPACK's Huffman code for strings (RFC 7541, section 5.2 and appendix B). Strings are latin1, one
 * character an octet.
 *
 * The code is canonical: codes of one length follow each other in the order of their symbols, and
 * the first of a length follows the last of the length before. So the lengths say all.
 */

/** The length of each octet's code in bits, a digit of base 36 each; the last is that of EOS. */
const CODE_BITS = [
  'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6ca',
  'd67777777777777777777777878djde6f56565666577666567655677777fbeds',
  'kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn',
  'qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq',
  'u',
].join('');

const EOS = 256;
const LONGEST_BITS = 30;

/** The codes of one length. */
interface Codes {
  /** The first of them. */
  readonly first: number;
  /** Whose they are, in order. */
  readonly symbols: readonly number[];
}

/** By length in bits. */
const codesOfLength = canonicalCodes();
/** By symbol. */
const codeOf = codesBySymbol();

function canonicalCodes(): readonly Codes[] {
  const lengths = Array.from(CODE_BITS, (digit) => parseInt(digit, 36));
  const result: Codes[] = [];
  let next = 0;
  for (let bits = 0; bits <= LONGEST_BITS; bits++) {
    const symbols = lengths.flatMap((length, symbol) => (length === bits ? [symbol] : []));
    result.push({ first: next, symbols });
    next = (next + symbols.length) * 2;
  }
  return result;
}

function codesBySymbol(): readonly { readonly code: number; readonly bits: number }[] {
  const result: { code: number; bits: number }[] = [];
  codesOfLength.forEach(({ first, symbols }, bits) =>
    symbols.forEach((symbol, place) => {
      result[symbol] = { code: first + place, bits };
    }),
  );
  return result;
}

/** The string, or undefined when `bytes` are no valid encoding of one. */
export function huffmanDecode(bytes: Uint8Array): string | undefined {
  const octets: number[] = [];
  let code = 0;
  let bits = 0;
  for (const byte of bytes) {
    for (let shift = 7; shift >= 0; shift--) {
      code = (code << 1) | ((byte >> shift) & 1);
      bits++;
      const symbol = symbolOf(code, bits);
      if (symbol === undefined) continue;
      if (symbol === EOS) return undefined;
      octets.push(symbol);
      code = bits = 0;
    }
  }
  return isPadding(code, bits) ? Buffer.from(octets).toString('latin1') : undefined;
}

function symbolOf(code: number, bits: number): number | undefined {
  const { first, symbols } = codesOfLength[bits]!;
  return code >= first ? symbols[code - first] : undefined;
}

/** Less than an octet of the beginning of EOS, which is ones only. */
function isPadding(code: number, bits: number): boolean {
  return bits < 8 && code === (1 << bits) - 1;
}

/** The one encoding of `text`, whose characters are octets. */
export function huffmanEncode(text: string): Uint8Array {
  const encoded = new Uint8Array(Math.ceil(encodedBits(text) / 8));
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const { code, bits } = codeOf[text.charCodeAt(i)]!;
    writeBits(encoded, at, code, bits);
    at += bits;
  }
  const padding = encoded.length * 8 - at;
  writeBits(encoded, at, (1 << padding) - 1, padding);
  return encoded;
}

function encodedBits(text: string): number {
  let bits = 0;
  for (let i = 0; i < text.length; i++) bits += codeOf[text.charCodeAt(i)]!.bits;
  return bits;
}

/** Writes the lowest `bits` bits of `value` over zeros, beginning with bit `at`. */
function writeBits(bytes: Uint8Array, at: number, value: number, bits: number): void {
  let left = bits;
  while (left > 0) {
    const place = (at + bits - left) % 8;
    const index = (at + bits - left - place) / 8;
    const count = Math.min(8 - place, left);
    const part = (value >>> (left - count)) & ((1 << count) - 1);
    bytes[index]! |= part << (8 - place - count);
    left -= count;
  }
}
