/** Certificate revocation lists (RFC 5280, section 5), as etcd reads them: which serial numbers. */
import { readElements, Tag } from './der.js';

const PEM = /-----BEGIN X509 CRL-----([\s\S]*?)-----END X509 CRL-----/;

/**
 * Serial numbers, in capital hex digits without zeros in front, as node:crypto writes those of
 * certificates. Neither the list's signature nor its times are looked at, as in etcd. Throws an Error
 * when `file` is no list.
 */
export function revokedSerials(file: Buffer): Set<string> {
  const [list] = readElements(derOf(file));
  const [body] = readElements(list?.tag === Tag.sequence ? list.content : Buffer.alloc(0));
  if (body?.tag !== Tag.sequence) throw new Error('not a certificate revocation list');
  return new Set(readElements(revokedPart(body.content)).map(({ content }) => serialOf(content)));
}

function derOf(file: Buffer): Buffer {
  const base64 = PEM.exec(file.toString('latin1'))?.[1];
  return base64 === undefined ? file : Buffer.from(base64, 'base64');
}

/** The sequence behind the times; there is none when nothing is revoked. */
function revokedPart(body: Buffer): Buffer {
  const parts = readElements(body);
  const times = parts.map(({ tag }) => tag === Tag.utcTime || tag === Tag.generalizedTime);
  const next = parts[times.lastIndexOf(true) + 1];
  if (!times.includes(true)) throw new Error('not a certificate revocation list');
  return next?.tag === Tag.sequence ? next.content : Buffer.alloc(0);
}

function serialOf(entry: Buffer): string {
  const [serial] = readElements(entry);
  if (serial?.tag !== Tag.integer) throw new Error('a revoked certificate has no serial number');
  return normalSerial(serial.content.toString('hex'));
}

/** Hex digits in the one form that compares. */
export function normalSerial(hex: string): string {
  return hex.toUpperCase().replace(/^0+(?=.)/, '');
}
