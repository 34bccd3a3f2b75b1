/**
 * Makes X.509 certificates (RFC 5280) with ECDSA keys: node:crypto reads certificates and cannot write
 * any. For --auto-tls, and for tests.
 */
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { isIP } from 'node:net';
import {
  bitString,
  boolean,
  element,
  explicit,
  implicit,
  integer,
  objectId,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from './der.js';

export interface CertificateRequest {
  /** Organization and common name; either may be left out. */
  readonly subject: CertificateSubject;
  /** DNS names and IP addresses. */
  readonly hosts?: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** May it sign others? No by default. */
  readonly isCa?: boolean;
  /** What the holder may be; both by default. Not for a CA. */
  readonly usages?: readonly CertificateUsage[];
  /** Who signs; itself by default. */
  readonly issuer?: IssuedCertificate;
}

export interface CertificateSubject {
  readonly organization?: string;
  readonly commonName?: string;
}

export type CertificateUsage = 'server' | 'client';

export interface IssuedCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
  readonly subject: CertificateSubject;
  readonly privateKey: KeyObject;
  readonly serial: bigint;
}

const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));
const ORGANIZATION = '2.5.4.10';
const COMMON_NAME = '2.5.4.3';
const USAGES: Record<CertificateUsage, string> = {
  server: '1.3.6.1.5.5.7.3.1',
  client: '1.3.6.1.5.5.7.3.2',
};
const SUBJECT_KEY_ID = '2.5.29.14';
const KEY_USAGE = '2.5.29.15';
const SUBJECT_ALT_NAME = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';
const AUTHORITY_KEY_ID = '2.5.29.35';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const VERSION_3 = explicit(0, integer(2n));

/** A new P-256 key, and a certificate for it. */
export function createCertificate(request: CertificateRequest): IssuedCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const { subject } = request;
  const issuer = request.issuer ?? { subject, privateKey };
  const serial = newSerial();
  const body = sequence(
    VERSION_3,
    integer(serial),
    ECDSA_WITH_SHA256,
    nameOf(issuer.subject),
    sequence(time(request.notBefore), time(request.notAfter)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions(request, publicKey, issuer.privateKey))),
  );
  return {
    certificatePem: pem('CERTIFICATE', signed(body, issuer.privateKey)),
    keyPem: privateKey.export({ type: 'sec1', format: 'pem' }) as string,
    subject,
    privateKey,
    serial,
  };
}

/** `body` with the signature behind it, as certificates and revocation lists are made. */
export function signed(body: Uint8Array, key: KeyObject): Buffer {
  return sequence(body, ECDSA_WITH_SHA256, bitString(sign('sha256', body, key)));
}

/** The algorithm that {@link signed} uses, as the body must name it. */
export const signatureAlgorithm: Uint8Array = ECDSA_WITH_SHA256;

/** A PEM block. */
export function pem(label: string, der: Uint8Array): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .replace(/.{1,64}/g, '$&\n');
  return `-----BEGIN ${label}-----\n${lines}-----END ${label}-----\n`;
}

/** A name as certificates write it. */
export function nameOf({ organization, commonName }: CertificateSubject): Buffer {
  const parts: [string, string | undefined][] = [
    [ORGANIZATION, organization],
    [COMMON_NAME, commonName],
  ];
  return sequence(
    ...parts.flatMap(([type, value]) =>
      value === undefined ? [] : [set(sequence(objectId(type), utf8String(value)))],
    ),
  );
}

/** 127 random bits: never negative, and never met twice. */
function newSerial(): bigint {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return BigInt(`0x${bytes.toString('hex')}`);
}

function extensions(
  { hosts = [], isCa = false, usages = ['server', 'client'] }: CertificateRequest,
  publicKey: KeyObject,
  issuerKey: KeyObject,
): Buffer[] {
  const all = [
    extension(BASIC_CONSTRAINTS, true, sequence(...(isCa ? [boolean(true)] : []))),
    extension(KEY_USAGE, true, isCa ? KEY_USAGE_CA : KEY_USAGE_LEAF),
    extension(SUBJECT_KEY_ID, false, octetString(keyId(publicKey))),
    extension(AUTHORITY_KEY_ID, false, sequence(implicit(0, keyId(createPublicKey(issuerKey))))),
  ];
  if (!isCa) {
    const ids = usages.map((usage) => objectId(USAGES[usage]));
    all.push(extension(EXTENDED_KEY_USAGE, false, sequence(...ids)));
  }
  if (hosts.length > 0) {
    all.push(extension(SUBJECT_ALT_NAME, false, sequence(...hosts.map(generalName))));
  }
  return all;
}

/** Certificate and revocation list signing. */
const KEY_USAGE_CA = bitString(Buffer.from([0x06]), 1);
/** Digital signature. */
const KEY_USAGE_LEAF = bitString(Buffer.from([0x80]), 7);

function extension(id: string, critical: boolean, value: Uint8Array): Buffer {
  return sequence(objectId(id), ...(critical ? [boolean(true)] : []), octetString(value));
}

function keyId(key: KeyObject): Buffer {
  const spki = key.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest().subarray(0, 20);
}

function generalName(host: string): Buffer {
  if (isIP(host) === 0) return implicit(2, Buffer.from(host, 'latin1'));
  return element(0x87, isIP(host) === 4 ? ipv4Bytes(host) : ipv6Bytes(host));
}

function ipv4Bytes(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

/** The URL parser writes an address in its one canonical form, without dotted decimals. */
function ipv6Bytes(address: string): Buffer {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head, tail] = canonical.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = tail === undefined ? 0 : 8 - head!.length - tail.length;
  const groups = [...head!, ...Array<string>(zeros).fill('0'), ...(tail ?? [])];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
