/** Failures of TLS in the words of Go's crypto/tls, which operators of etcd know. */

const UNKNOWN_AUTHORITY = 'x509: certificate signed by unknown authority';
const OUT_OF_TIME = 'x509: certificate has expired or is not yet valid';
const NOT_TLS = 'tls: first record does not look like a TLS handshake';

/** By the codes of OpenSSL's verification and of its error queue. */
const WORDS: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  CERT_UNTRUSTED: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: OUT_OF_TIME,
  CERT_NOT_YET_VALID: OUT_OF_TIME,
  INVALID_PURPOSE: 'x509: certificate specifies an incompatible key usage',
  ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE: "tls: client didn't provide a certificate",
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'tls: client offered only unsupported versions',
  ERR_SSL_NO_SHARED_CIPHER: 'tls: no cipher suite supported by both client and server',
  ERR_SSL_NO_APPLICATION_PROTOCOL: 'tls: client requested unsupported application protocols',
  ERR_SSL_WRONG_VERSION_NUMBER: NOT_TLS,
  ERR_SSL_HTTP_REQUEST: NOT_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NOT_TLS,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'remote error: tls: unknown certificate authority',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 'remote error: tls: bad certificate',
  ERR_SSL_SSL_TLSV1_ALERT_BAD_CERTIFICATE: 'remote error: tls: bad certificate',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'remote error: tls: expired certificate',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: 'remote error: tls: unknown certificate',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'remote error: tls: handshake failure',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'remote error: tls: certificate required',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'remote error: tls: protocol version not supported',
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'remote error: tls: no application protocol',
};

/** What a peer says that is not TLS at all. */
export const notTlsText = NOT_TLS;

/** Go's text for a failed handshake, or undefined when it is some other failure. */
export function tlsFailureText(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return wrongHostText(error);
  return code === undefined ? undefined : WORDS[code];
}

/** Go's text for a code of OpenSSL's verification. */
export function verificationText(code: string): string {
  return `tls: failed to verify certificate: ${WORDS[code] ?? `x509: ${code}`}`;
}

function wrongHostText(error: Error): string {
  const { host, cert } = error as Error & {
    host?: string;
    cert?: { subjectaltname?: string };
  };
  const names = (cert?.subjectaltname ?? '')
    .split(', ')
    .map((name) => name.replace(/^(DNS|IP Address):/, ''))
    .filter((name) => name !== '');
  if (names.length === 0) return `x509: certificate is not valid for any names, not ${host}`;
  return `x509: certificate is valid for ${names.join(', ')}, not ${host}`;
}

const OPEN_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
};

/** Go's text for a file that can't be read. */
export function openFailureText(path: string, error: unknown): string {
  const code = String((error as NodeJS.ErrnoException).code);
  return `open ${path}: ${OPEN_FAILURES[code] ?? code}`;
}
