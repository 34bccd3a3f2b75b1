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

interface Code {
  readonly code: number;
  readonly bits: number;
}

/** By symbol. */
const codes: readonly Code[] = canonicalCodes();

function canonicalCodes(): readonly Code[] {
  const lengths = Array.from(CODE_BITS, (digit) => parseInt(digit, 36));
  const result: Code[] = [];
  let next = 0;
  for (let bits = 0; bits <= LONGEST_BITS; bits++) {
    lengths.forEach((length, symbol) => {
      if (length === bits) result[symbol] = { code: next++, bits };
    });
    next *= 2;
  }
  return result;
}

/** The one encoding of `text`, whose characters are octets. */
export function huffmanEncode(text: string): Uint8Array {
  const encoded = new Uint8Array(Math.ceil(encodedBits(text) / 8));
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const { code, bits } = codes[text.charCodeAt(i)]!;
    writeBits(encoded, at, code, bits);
    at += bits;
  }
  const padding = encoded.length * 8 - at;
  writeBits(encoded, at, (1 << padding) - 1, padding);
  return encoded;
}

function encodedBits(text: string): number {
  let bits = 0;
  for (let i = 0; i < text.length; i++) bits += codes[text.charCodeAt(i)]!.bits;
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

/**
 * The decoder walks the code's tree four bits at a time. No code is shorter than five, so a step ends
 * at most one. What a step comes to, from each node on each four bits: the next node, the symbol that
 * ended (if ENDED), or FAILED.
 */
interface Decoder {
  readonly steps: Int32Array;
  /** Nodes where a string may end: on the way of ones that pads it, for less than an octet. */
  readonly mayEnd: Uint8Array;
}

const NODE_SHIFT = 10;
const ENDED = 1 << 9;
const SYMBOL = ENDED - 1;
const FAILED = -1;

let decoder: Decoder | undefined;

type Tree = [zero: Tree | number | undefined, one: Tree | number | undefined];

function buildTree(): Tree {
  const root: Tree = [undefined, undefined];
  codes.forEach(({ code, bits }, symbol) => {
    let node = root;
    for (let shift = bits - 1; shift > 0; shift--) {
      node = (node[(code >> shift) & 1] ??= [undefined, undefined]) as Tree;
    }
    node[code & 1] = symbol;
  });
  return root;
}

function buildDecoder(): Decoder {
  const root = buildTree();
  const nodes: Tree[] = [root];
  for (const node of nodes) for (const next of node) if (Array.isArray(next)) nodes.push(next);
  const numbers = new Map(nodes.map((node, number) => [node, number]));
  const steps = new Int32Array(nodes.length * 16);
  nodes.forEach((node, number) => {
    for (let nibble = 0; nibble < 16; nibble++) {
      steps[number * 16 + nibble] = stepOf(root, node, nibble, numbers);
    }
  });
  const mayEnd = new Uint8Array(nodes.length);
  let padded = root;
  for (let bits = 0; bits < 8; bits++) {
    mayEnd[numbers.get(padded)!] = 1;
    padded = padded[1] as Tree;
  }
  return { steps, mayEnd };
}

function stepOf(root: Tree, from: Tree, nibble: number, numbers: Map<Tree, number>): number {
  let node = from;
  let ended = 0;
  for (let shift = 3; shift >= 0; shift--) {
    const next = node[(nibble >> shift) & 1]!;
    if (next === EOS) return FAILED;
    if (typeof next === 'number') ended = ENDED | next;
    node = typeof next === 'number' ? root : next;
  }
  return (numbers.get(node)! << NODE_SHIFT) | ended;
}

/** Most strings fit; the longest that a frame can hold does, twice. */
const scratch = Buffer.allocUnsafeSlow(4096);

/** The string in bytes[start, end), or undefined when they are no valid encoding of one. */
export function huffmanDecode(
  bytes: Uint8Array,
  start = 0,
  end = bytes.length,
): string | undefined {
  const { steps, mayEnd } = (decoder ??= buildDecoder());
  const mostOctets = (end - start) * 2;
  const octets = mostOctets <= scratch.length ? scratch : Buffer.allocUnsafe(mostOctets);
  let length = 0;
  let node = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    for (let shift = 4; shift >= 0; shift -= 4) {
      const step = steps[(node << 4) | ((byte >> shift) & 15)]!;
      if (step === FAILED) return undefined;
      if ((step & ENDED) !== 0) octets[length++] = step & SYMBOL;
      node = step >> NODE_SHIFT;
    }
  }
  return mayEnd[node] === 1 ? octets.toString('latin1', 0, length) : undefined;
}
