/**
 * A port's certificates, read from files when it starts and again when the files change.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { SecureContextOptions } from 'node:tls';
import type { Logger } from '../../server/environment.js';
import { opensslCiphers } from './cipher-suites.js';
import { openFailureText } from './failure-words.js';
import { revokedSerials } from './revocations.js';
import { type TlsSettings, TlsSettingsError } from './settings.js';

/** All that the files say at one moment. */
export interface TlsMaterial {
  readonly server: Required<Pick<SecureContextOptions, 'cert' | 'key'>>;
  /** What is shown to servers. */
  readonly client: Required<Pick<SecureContextOptions, 'cert' | 'key'>>;
  /** PEM; absent: the system's. */
  readonly ca: string[] | undefined;
  readonly revoked: ReadonlySet<string>;
}

/** Versions and ciphers, as node:tls takes them. */
export type TlsLimits = Pick<SecureContextOptions, 'ciphers' | 'minVersion' | 'maxVersion'>;

export interface TlsCredentialsOptions {
  /** Must the own certificate be of a trusted CA? So it is between peers, who all trust the same. */
  readonly ownMustBeTrusted: boolean;
  readonly logger: Logger;
  /** Unix milliseconds. */
  wallMs(): number;
}

export class TlsCredentials {
  readonly limits: TlsLimits;
  private loaded: TlsMaterial;
  private stamp: string;
  private readonly files: readonly string[];

  /** Reads everything. Throws a {@link TlsSettingsError} that says in one line what is wrong. */
  constructor(
    readonly settings: TlsSettings,
    private readonly options: TlsCredentialsOptions,
  ) {
    this.limits = limitsOf(settings);
    this.files = filesOf(settings);
    this.stamp = stampOf(this.files);
    this.loaded = load(settings, options);
  }

  /** Must callers show a certificate? */
  get requiresClientCertificate(): boolean {
    return this.settings.clientCertAuth === true || this.settings.trustedCaFile !== undefined;
  }

  /**
   * What the files say now: they are looked at, and read again if one has changed. While they can't be
   * used (a key has come and its certificate not yet) the last good ones stay, and the log says so.
   */
  current(): TlsMaterial {
    const stamp = stampOf(this.files);
    if (stamp === this.stamp) return this.loaded;
    this.stamp = stamp;
    const { logger } = this.options;
    try {
      this.loaded = load(this.settings, this.options);
      logger('info', 'read changed TLS certificates', { files: this.files });
    } catch (error) {
      if (!(error instanceof TlsSettingsError)) throw error;
      logger('warn', 'changed TLS certificates cannot be used; the last good ones stay', {
        error: error.message,
      });
    }
    return this.loaded;
  }
}

function limitsOf({ cipherSuites = [], minVersion = 'TLSv1.2', maxVersion }: TlsSettings) {
  if (maxVersion !== undefined && minVersion > maxVersion) {
    throw new TlsSettingsError(
      `min version (${goVersion(minVersion)}) is greater than max version (${goVersion(maxVersion)})`,
    );
  }
  if (cipherSuites.length > 0 && minVersion === 'TLSv1.3') {
    throw new TlsSettingsError('cipher suites cannot be configured when only TLS1.3 is enabled');
  }
  const ciphers = opensslCiphers(cipherSuites);
  return {
    minVersion,
    ...(maxVersion !== undefined && { maxVersion }),
    ...(ciphers !== undefined && { ciphers }),
  };
}

function goVersion(version: string): string {
  return version.replace('v', '');
}

function filesOf(settings: TlsSettings): string[] {
  const { certFile, keyFile, clientCertFile, clientKeyFile, trustedCaFile, crlFile } = settings;
  return [certFile, keyFile, clientCertFile, clientKeyFile, trustedCaFile, crlFile].filter(
    (file) => file !== undefined,
  );
}

/** Changes when one of the files does. */
function stampOf(files: readonly string[]): string {
  return files.map(fileStamp).join(' ');
}

function fileStamp(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? '-' : `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}

function load(settings: TlsSettings, options: TlsCredentialsOptions): TlsMaterial {
  const { certFile, keyFile, clientCertFile, clientKeyFile, trustedCaFile, crlFile } = settings;
  requirePair('KeyFile and CertFile must both be present', certFile, keyFile, true);
  requirePair(
    'ClientKeyFile and ClientCertFile must both be present or both absent: ',
    clientCertFile,
    clientKeyFile,
    false,
  );
  const wallMs = options.wallMs();
  const ca = trustedCaFile === undefined ? undefined : readAuthorities(trustedCaFile);
  const server = readPair(certFile!, keyFile!, wallMs);
  const client =
    clientCertFile === undefined ? server : readPair(clientCertFile, clientKeyFile!, wallMs);
  if (options.ownMustBeTrusted && ca !== undefined) {
    requireTrusted(certFile!, server.cert, ca, trustedCaFile!);
  }
  return { server, client, ca, revoked: crlFile === undefined ? new Set() : readCrl(crlFile) };
}

function requirePair(
  text: string,
  cert: string | undefined,
  key: string | undefined,
  required: boolean,
): void {
  if (cert !== undefined && key !== undefined) return;
  if (cert === undefined && key === undefined && !required) return;
  throw new TlsSettingsError(`${text}[key: ${key ?? ''}, cert: ${cert ?? ''}]`);
}

function readPair(certFile: string, keyFile: string, wallMs: number) {
  const cert = readText(certFile);
  const key = readText(keyFile);
  const [leaf] = parseCertificates(certFile, cert);
  if (!leaf!.checkPrivateKey(parseKey(keyFile, key))) {
    throw new TlsSettingsError(
      `tls: private key does not match public key (${certFile}, ${keyFile})`,
    );
  }
  requireInTime(certFile, leaf!, wallMs);
  return { cert, key };
}

function readText(path: string): string {
  return readBytes(path).toString('latin1');
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new TlsSettingsError(openFailureText(path, error), { cause: error });
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** At least one. */
function parseCertificates(path: string, text: string): X509Certificate[] {
  const blocks = text.match(CERTIFICATE);
  if (blocks === null) {
    throw new TlsSettingsError(`tls: failed to find any PEM data in certificate input (${path})`);
  }
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw new TlsSettingsError(`x509: malformed certificate (${path})`, { cause: error });
  }
}

function parseKey(path: string, text: string) {
  if (!text.includes('PRIVATE KEY-----')) {
    throw new TlsSettingsError(`tls: failed to find any PEM data in key input (${path})`);
  }
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw new TlsSettingsError(`tls: failed to parse private key (${path})`, { cause: error });
  }
}

function requireInTime(path: string, certificate: X509Certificate, wallMs: number): void {
  const { validFrom, validTo } = certificate;
  if (wallMs > Date.parse(validTo)) {
    throw new TlsSettingsError(`x509: certificate has expired: ${path} was good until ${validTo}`);
  }
  if (wallMs < Date.parse(validFrom)) {
    throw new TlsSettingsError(
      `x509: certificate is not yet valid: ${path} is good from ${validFrom} on`,
    );
  }
}

function readAuthorities(path: string): string[] {
  return parseCertificates(path, readText(path)).map((authority) => authority.toString());
}

function readCrl(path: string): Set<string> {
  const bytes = readBytes(path);
  try {
    return revokedSerials(bytes);
  } catch (error) {
    throw new TlsSettingsError(`x509: malformed crl (${path})`, { cause: error });
  }
}

/** Peers would turn away one whose certificate their CAs have not signed. */
function requireTrusted(path: string, chain: string, ca: readonly string[], caPath: string): void {
  const [leaf, ...between] = parseCertificates(path, chain);
  const authorities = ca.map((authority) => new X509Certificate(authority));
  if (isTrusted(leaf!, between, authorities)) return;
  throw new TlsSettingsError(
    `x509: certificate signed by unknown authority: ${path} is of no CA in ${caPath}`,
  );
}

function isTrusted(
  leaf: X509Certificate,
  between: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
): boolean {
  let current = leaf;
  for (let depth = 0; depth <= between.length; depth++) {
    if (authorities.some((authority) => isIssuedBy(current, authority))) return true;
    const next = between.find((other) => isIssuedBy(current, other));
    if (next === undefined || next === current) return false;
    current = next;
  }
  return false;
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  if (certificate.fingerprint256 === issuer.fingerprint256) return true;
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}
