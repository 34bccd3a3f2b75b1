/** TLS of a server's two kinds of ports, from its settings to files that are sure to be there. */
import { join } from 'node:path';
import type { Logger } from '../server/index.js';
import {
  describeTls,
  hasCertificate,
  realClock,
  selfSignedFiles,
  TlsCredentials,
  type TlsSettings,
  TlsSettingsError,
} from '../transport/index.js';

export interface PortsTls {
  readonly endpoint: 'client' | 'peer';
  readonly settings: TlsSettings;
  readonly listenUrls: readonly string[];
  /** Hosts that a certificate of our own making is for, beside those that are listened on. */
  readonly advertisedUrls: readonly string[];
  readonly dataDir: string;
  readonly logger: Logger;
}

/**
 * Settings whose files exist, or undefined when no URL asks for TLS. Makes a certificate if that was
 * asked for and none was given. Throws a TlsSettingsError.
 */
export function readyTls(ports: PortsTls): TlsSettings | undefined {
  const { settings } = ports;
  if (!ports.listenUrls.some(isSecure)) return undefined;
  if (hasCertificate(settings)) {
    const { selfSigned, ...given } = settings;
    if (selfSigned) warnOfIgnored(ports);
    return given;
  }
  return settings.selfSigned ? { ...settings, ...ownCertificate(ports) } : undefined;
}

/**
 * Says what is wrong with given certificates, before anything else of a start is done. Throws a
 * TlsSettingsError.
 */
export function checkTls(ports: PortsTls): void {
  const { settings, endpoint, logger } = ports;
  const secure = ports.listenUrls.find(isSecure);
  const given = hasCertificate(settings);
  for (const url of ports.listenUrls) {
    if (given && !isSecure(url)) {
      logger(
        'warn',
        'scheme is http while key and cert files are present; ignoring key and cert files',
        { [`${endpoint}-url`]: url },
      );
    }
  }
  if (secure === undefined) return;
  if (given) openTls(settings, endpoint, logger);
  else if (settings.selfSigned !== true) throw missingCertificate(endpoint, secure);
  logger('info', `starting with ${endpoint} TLS`, {
    'tls-info': describeTls(settings),
    'cipher-suites': settings.cipherSuites ?? [],
  });
}

/** Reads the certificates. Throws a TlsSettingsError. */
export function openTls(
  settings: TlsSettings,
  endpoint: 'client' | 'peer',
  logger: Logger,
): TlsCredentials {
  return new TlsCredentials(settings, {
    ownMustBeTrusted: endpoint === 'peer',
    logger,
    wallMs: () => realClock.wallMs(),
  });
}

function isSecure(url: string): boolean {
  return /^(https|unixs):/.test(url);
}

function missingCertificate(endpoint: 'client' | 'peer', url: string): TlsSettingsError {
  if (endpoint === 'peer') {
    return new TlsSettingsError(
      `cannot listen on TLS for ${url}: KeyFile and CertFile are not presented`,
    );
  }
  return new TlsSettingsError(
    `TLS key/cert (--cert-file, --key-file) must be provided for client url ${url} with HTTPS scheme`,
  );
}

function warnOfIgnored({ endpoint, logger }: PortsTls): void {
  logger('warn', `ignoring ${endpoint} auto TLS since certs given`);
}

function ownCertificate({ endpoint, settings, listenUrls, advertisedUrls, dataDir }: PortsTls) {
  const urls = [...listenUrls, ...advertisedUrls];
  return selfSignedFiles({
    folder: join(dataDir, 'fixtures', endpoint),
    hosts: [...new Set(urls.flatMap(hostOf))],
    validityYears: settings.selfSignedValidityYears ?? 1,
    wallMs: realClock.wallMs(),
  });
}

function hostOf(url: string): string[] {
  if (!URL.canParse(url) || url.startsWith('unix')) return [];
  return [new URL(url).hostname.replace(/^\[|\]$/g, '')];
}
