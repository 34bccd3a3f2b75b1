export {
  type CertificateRequest,
  createCertificate,
  type IssuedCertificate,
} from './certificate.js';
export { TlsCredentials, type TlsCredentialsOptions, type TlsMaterial } from './credentials.js';
export { TlsDialer } from './dial.js';
export { tlsFailureText } from './failure-words.js';
export { TlsGate } from './gate.js';
export { refuseMalformedRequests } from './plaintext-port.js';
export { type ProbedServer, probeTls } from './probe.js';
export { selfSignedFiles } from './self-signed.js';
export {
  describeTls,
  hasCertificate,
  type TlsSettings,
  TlsSettingsError,
  type TlsVersion,
} from './settings.js';
