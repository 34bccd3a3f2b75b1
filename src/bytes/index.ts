export {
  bytesFromLatin1,
  latin1FromBytes,
  latin1FromUtf8,
  utf8FromLatin1,
  writeLatin1,
} from './latin1.js';
export { crc32c, crc32cLatin1 } from './crc32c.js';
export { hexId, hexIdPadded, parseHexId, signedId } from './ids.js';
