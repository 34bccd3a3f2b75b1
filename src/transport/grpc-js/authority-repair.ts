/**
 * Repairs what etcdctl 3.4 and its contemporaries say when they dial the one endpoint of a URL: the
 * whole URL, "http://127.0.0.1:2379", as :authority. etcd takes it. Node's HTTP/2 refuses the stream
 * for the '/' and cannot be told otherwise.
 */
import { assert } from '../../api/index.js';
import { decodeString, type Literal, literalsOf } from './header-block.js';
import { huffmanEncode } from '../../grpc/http2/huffman.js';

/** Its place in HPACK's static table. */
const AUTHORITY_INDEX = 1;

/**
 * Puts a '-' for every '/' in the values of :authority that `block` spells out, in place, and says
 * whether there were any. Both characters have Huffman codes of six bits, so no length changes:
 * neither here nor in the tables that both sides build from the block. A malformed block stays.
 */
export function repairAuthority(block: Buffer): boolean {
  let repaired = false;
  for (const literal of literalsOf(block) ?? []) {
    if (isAuthority(literal) && repairValue(literal)) repaired = true;
  }
  return repaired;
}

function isAuthority({ nameIndex, name }: Literal): boolean {
  if (name === undefined) return nameIndex === AUTHORITY_INDEX;
  return decodeString(name) === ':authority';
}

function repairValue({ value }: Literal): boolean {
  const text = decodeString(value);
  if (text === undefined || !text.includes('/')) return false;
  const better = text.replaceAll('/', '-');
  const encoded = value.huffman ? huffmanEncode(better) : Buffer.from(better, 'latin1');
  assert(
    encoded.length === value.encoded.length,
    () => `authority of ${value.encoded.length} bytes became ${encoded.length}`,
  );
  value.encoded.set(encoded);
  return true;
}
