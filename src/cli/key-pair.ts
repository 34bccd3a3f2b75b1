/** A certificate and its key, checked as Go checks them before it uses them. */
import { createPrivateKey, X509Certificate } from 'node:crypto';

/** Why the two, in PEM, can't be used together, in Go's words; or undefined. */
export function keyPairRefusal(cert: Buffer, key: Buffer): string | undefined {
  if (!cert.includes('-----BEGIN CERTIFICATE-----')) {
    return 'tls: failed to find any PEM data in certificate input';
  }
  if (!key.includes('PRIVATE KEY-----')) return 'tls: failed to find any PEM data in key input';
  const leaf = attempt(() => new X509Certificate(cert));
  if (leaf === undefined) return 'x509: malformed certificate';
  const privateKey = attempt(() => createPrivateKey(key));
  if (privateKey === undefined) return 'tls: failed to parse private key';
  return leaf.checkPrivateKey(privateKey)
    ? undefined
    : 'tls: private key does not match public key';
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
