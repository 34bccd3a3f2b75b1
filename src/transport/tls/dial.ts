/** TLS towards other servers: what a connection to a peer shows and asks for. */
import type { PeerCertificate } from 'node:tls';
import { checkServerIdentity, createSecureContext, type SecureContext } from 'node:tls';
import { X509Certificate } from 'node:crypto';
import type { TlsCredentials, TlsMaterial } from './credentials.js';
import { refusedNames, revokedText } from './remote-identity.js';

/** What node:https needs for one request. */
export interface TlsDialOptions {
  readonly secureContext: SecureContext;
  readonly rejectUnauthorized: boolean;
  readonly checkServerIdentity: (host: string, certificate: PeerCertificate) => Error | undefined;
}

export class TlsDialer {
  private material: TlsMaterial;
  private context: SecureContext;

  constructor(private readonly credentials: TlsCredentials) {
    this.material = credentials.current();
    this.context = this.newContext();
  }

  /** For a connection that is opened now: with the certificates that are in the files now. */
  options(): TlsDialOptions {
    const material = this.credentials.current();
    if (material !== this.material) {
      this.material = material;
      this.context = this.newContext();
    }
    return {
      secureContext: this.context,
      // Members with self-signed certificates can't know each other's.
      rejectUnauthorized: this.credentials.settings.selfSigned !== true,
      checkServerIdentity: (host, certificate) => this.refusal(host, certificate),
    };
  }

  private newContext(): SecureContext {
    const { client, ca } = this.material;
    return createSecureContext({ ...client, ...(ca && { ca }), ...this.credentials.limits });
  }

  private refusal(host: string, certificate: PeerCertificate): Error | undefined {
    const wrongHost = checkServerIdentity(host, certificate);
    if (wrongHost !== undefined) return wrongHost;
    const text =
      refusedNames(this.credentials.settings, new X509Certificate(certificate.raw)) ??
      revokedText(this.material.revoked, new X509Certificate(certificate.raw));
    return text === undefined ? undefined : new Error(text);
  }
}
