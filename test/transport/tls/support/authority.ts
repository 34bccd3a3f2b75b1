/** A certificate authority for tests, whose certificates and lists are files in a folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CertificateRequest,
  createCertificate,
  type IssuedCertificate,
  nameOf,
  pem,
  signatureAlgorithm,
  signed,
} from '../../../../src/transport/tls/certificate.js';
import { integer, sequence, time } from '../../../../src/transport/tls/der.js';

export const HOUR_MS = 60 * 60 * 1000;
const LOCAL = ['localhost', '127.0.0.1', '::1'];

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly issued: IssuedCertificate;
}

type Wishes = Partial<Omit<CertificateRequest, 'issuer'>> & { commonName?: string };

export class Authority {
  readonly caFile: string;
  private readonly ca: IssuedCertificate;

  constructor(
    readonly folder: string,
    name = 'ca',
  ) {
    mkdirSync(folder, { recursive: true });
    this.ca = createCertificate({ subject: { commonName: name }, isCa: true, ...aroundNow() });
    this.caFile = join(folder, `${name}.crt`);
    writeFileSync(this.caFile, this.ca.certificatePem);
  }

  /** Good for this machine's own names and for both uses, unless `wishes` say otherwise. */
  issue(file: string, { commonName = file, ...wishes }: Wishes = {}): CertificateFiles {
    const issued = createCertificate({
      subject: { commonName },
      hosts: LOCAL,
      ...aroundNow(),
      ...wishes,
      issuer: this.ca,
    });
    const certFile = join(this.folder, `${file}.crt`);
    const keyFile = join(this.folder, `${file}.key`);
    writeFileSync(certFile, issued.certificatePem);
    writeFileSync(keyFile, issued.keyPem);
    return { certFile, keyFile, issued };
  }

  /** Returns the list's file. */
  revoke(file: string, certificates: readonly IssuedCertificate[]): string {
    const path = join(this.folder, `${file}.crl`);
    const now = time(new Date());
    const entries = certificates.map(({ serial }) => sequence(integer(serial), now));
    const body = sequence(
      integer(1n),
      signatureAlgorithm,
      nameOf(this.ca.subject),
      now,
      time(new Date(Date.now() + HOUR_MS)),
      ...(entries.length > 0 ? [sequence(...entries)] : []),
    );
    writeFileSync(path, pem('X509 CRL', signed(body, this.ca.privateKey)));
    return path;
  }
}

function aroundNow(): Pick<CertificateRequest, 'notBefore' | 'notAfter'> {
  return {
    notBefore: new Date(Date.now() - HOUR_MS),
    notAfter: new Date(Date.now() + 24 * HOUR_MS),
  };
}
