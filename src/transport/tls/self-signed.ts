/** Certificates for --auto-tls: made at the first start, kept in the data dir, and made anew when over. */
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCertificate } from './certificate.js';
import { openFailureText } from './failure-words.js';
import { TlsSettingsError } from './settings.js';

export interface SelfSignedRequest {
  /** Where `cert.pem` and `key.pem` are kept; made if missing. */
  readonly folder: string;
  /** DNS names and IP addresses. */
  readonly hosts: readonly string[];
  readonly validityYears: number;
  /** Unix milliseconds. */
  readonly wallMs: number;
}

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
/** Clocks of others may be behind ours. */
const BACKDATED_MS = 5 * 60 * 1000;

/** The files. A certificate that is there and still good is kept. Throws a {@link TlsSettingsError}. */
export function selfSignedFiles(request: SelfSignedRequest): { certFile: string; keyFile: string } {
  const { folder, hosts, validityYears, wallMs } = request;
  if (validityYears < 1) {
    throw new TlsSettingsError('selfSignedCertValidity is invalid,it should be greater than 0');
  }
  const certFile = join(folder, 'cert.pem');
  const keyFile = join(folder, 'key.pem');
  if (isGood(certFile, keyFile, wallMs)) return { certFile, keyFile };
  const made = createCertificate({
    subject: { organization: 'etcd' },
    hosts,
    notBefore: new Date(wallMs - BACKDATED_MS),
    notAfter: new Date(wallMs + validityYears * YEAR_MS),
  });
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(keyFile, made.keyPem, { mode: 0o600 });
    writeFileSync(certFile, made.certificatePem, { mode: 0o600 });
  } catch (error) {
    throw new TlsSettingsError(openFailureText(folder, error), { cause: error });
  }
  return { certFile, keyFile };
}

function isGood(certFile: string, keyFile: string, wallMs: number): boolean {
  try {
    readFileSync(keyFile);
    return Date.parse(new X509Certificate(readFileSync(certFile)).validTo) > wallMs;
  } catch {
    return false;
  }
}
