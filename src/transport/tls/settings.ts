/** What TLS is to be like on one port: etcd's flags, as a client or a peer port reads them. */

export type TlsVersion = 'TLSv1.2' | 'TLSv1.3';

export interface TlsSettings {
  /** PEM: the certificate to show, with intermediate ones behind it. Absent without TLS. */
  readonly certFile?: string;
  readonly keyFile?: string;
  /** PEM: what to show to servers, where that differs. */
  readonly clientCertFile?: string;
  readonly clientKeyFile?: string;
  /** PEM: who may have signed the other side's certificate. Given, callers must show one. */
  readonly trustedCaFile?: string;
  /** Callers must show a certificate. */
  readonly clientCertAuth?: boolean;
  /** PEM or DER: certificates that are no longer good. */
  readonly crlFile?: string;
  /** Common names, one of which the other side's certificate must have. */
  readonly allowedCommonNames?: readonly string[];
  /** Host names, for one of which the other side's certificate must be good. */
  readonly allowedHostnames?: readonly string[];
  /** Don't hold callers to the addresses that their certificates name. */
  readonly skipClientAddressCheck?: boolean;
  /** Make a certificate; for callers that don't check it. Without effect beside a certFile. */
  readonly selfSigned?: boolean;
  /** 1 or more. */
  readonly selfSignedValidityYears?: number;
  /** Go's names; absent or empty: Node's choice. For TLS 1.2 only. */
  readonly cipherSuites?: readonly string[];
  /** TLSv1.2 by default. */
  readonly minVersion?: TlsVersion;
  readonly maxVersion?: TlsVersion;
}

/** Settings that can't work; the message is one line for the operator. */
export class TlsSettingsError extends Error {
  override readonly name = 'TlsSettingsError';
}

/** Is there a certificate, or will one be made? */
export function hasCertificate(settings: TlsSettings): boolean {
  return settings.certFile !== undefined || settings.keyFile !== undefined;
}

/** How etcd describes them in its log. */
export function describeTls(settings: TlsSettings): string {
  const { certFile, keyFile, clientCertFile, clientKeyFile, trustedCaFile, crlFile } = settings;
  const parts = [
    `cert = ${certFile ?? ''}`,
    `key = ${keyFile ?? ''}`,
    `client-cert=${clientCertFile ?? ''}`,
    `client-key=${clientKeyFile ?? ''}`,
    `trusted-ca = ${trustedCaFile ?? ''}`,
    `client-cert-auth = ${settings.clientCertAuth ?? false}`,
    `crl-file = ${crlFile ?? ''}`,
  ];
  return parts.join(', ');
}
