/**
 * May the other side of a verified connection be here? What etcd asks beyond a valid certificate.
 */
import type { X509Certificate } from 'node:crypto';
import { lookup, reverse } from 'node:dns/promises';
import { isIP } from 'node:net';
import { normalSerial } from './revocations.js';
import type { TlsSettings } from './settings.js';

type NameRules = Pick<TlsSettings, 'allowedCommonNames' | 'allowedHostnames'>;

/** Why the certificate's names are not the allowed ones, or undefined. */
export function refusedNames(
  { allowedCommonNames = [], allowedHostnames = [] }: NameRules,
  certificate: X509Certificate,
): string | undefined {
  const good =
    allowedCommonNames.length > 0
      ? allowedCommonNames.includes(commonName(certificate))
      : allowedHostnames.length === 0 ||
        allowedHostnames.some((host) => isGoodFor(certificate, host));
  return good ? undefined : 'client certificate authentication failed';
}

function commonName(certificate: X509Certificate): string {
  const name = certificate.toLegacyObject().subject.CN;
  return (Array.isArray(name) ? name.at(-1) : name) ?? '';
}

/** Go looks at no common name, and neither do we. */
function isGoodFor(certificate: X509Certificate, host: string): boolean {
  if (isIP(host) !== 0) return certificate.checkIP(host) !== undefined;
  return certificate.checkHost(host, { subject: 'never' }) !== undefined;
}

/** Why the certificate has been revoked, or undefined. */
export function revokedText(
  revoked: ReadonlySet<string>,
  certificate: X509Certificate,
): string | undefined {
  const serial = normalSerial(certificate.serialNumber);
  if (!revoked.has(serial)) return undefined;
  return `transport: certificate serial ${serial.toLowerCase()} revoked`;
}

/**
 * A caller whose certificate names addresses or hosts must come from one of them (etcd's check). A
 * certificate that names none may come from anywhere. Resolves to why not, or to undefined.
 */
export async function refusedAddress(
  certificate: X509Certificate,
  address: string,
): Promise<string | undefined> {
  const { ips, dnsNames } = namesOf(certificate);
  if (ips.length === 0 && dnsNames.length === 0) return undefined;
  if (ips.length > 0 && isGoodFor(certificate, address)) return undefined;
  if (dnsNames.length === 0) {
    return `x509: certificate is valid for ${ips.join(', ')}, not ${address}`;
  }
  if (await isHostOf(address, dnsNames)) return undefined;
  const list = dnsNames.map((name) => JSON.stringify(name)).join(' ');
  return `tls: ${JSON.stringify(address)} does not match any of DNSNames [${list}]`;
}

function namesOf(certificate: X509Certificate): { ips: string[]; dnsNames: string[] } {
  const names = (certificate.subjectAltName ?? '').split(', ');
  const of = (prefix: string): string[] =>
    names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  return { ips: of('IP Address:'), dnsNames: of('DNS:') };
}

async function isHostOf(address: string, names: readonly string[]): Promise<boolean> {
  const wildcards = names.filter((name) => name.startsWith('*.'));
  if (wildcards.length > 0 && (await hasNameUnder(address, wildcards))) return true;
  for (const name of names) {
    if (!name.includes('*') && (await resolvesTo(name, address))) return true;
  }
  return false;
}

async function hasNameUnder(address: string, wildcards: readonly string[]): Promise<boolean> {
  const names = await reverse(address).catch(() => []);
  return names.some((name) =>
    wildcards.some((wildcard) => {
      const host = name.replace(/\.$/, '');
      return host.slice(host.indexOf('.')) === wildcard.slice(1);
    }),
  );
}

async function resolvesTo(name: string, address: string): Promise<boolean> {
  if (name === address) return true;
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.some((answer) => answer.address === address);
}
