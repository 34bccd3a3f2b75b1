/**
 * Where to listen, from a URL as etcd's flags write it: `http://127.0.0.1:2379`, `http://[::1]:0`,
 * `unix://member.sock`.
 */
import { isIP } from 'node:net';

export type ListenAddress =
  | { readonly kind: 'tcp'; readonly secure: boolean; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly secure: boolean; readonly path: string };

const UNIX_URL = /^unix(s?):\/\/(.+)$/;

/**
 * Throws an Error with etcd's text when `url` names a host that is not an IP address ("localhost" is
 * taken as 127.0.0.1), and one of its own when it is no listen URL at all.
 */
export function parseListenUrl(url: string): ListenAddress {
  const unix = UNIX_URL.exec(url);
  if (unix) return { kind: 'unix', secure: unix[1] === 's', path: unix[2]! };
  const parsed = parseHttpUrl(url);
  const secure = parsed.protocol === 'https:';
  const defaultPort = secure ? 443 : 80;
  const port = parsed.port === '' ? defaultPort : Number(parsed.port);
  return { kind: 'tcp', secure, host: bindableHost(parsed.hostname, url), port };
}

function parseHttpUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new Error(`URL scheme must be http, https, unix, or unixs: ${url}`);
  }
  return parsed;
}

function bindableHost(hostname: string, url: string): string {
  if (hostname === 'localhost') return '127.0.0.1';
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0) throw new Error(`expected IP in URL for binding (${url})`);
  return host;
}

/** `tcp 127.0.0.1:2380`, `tcp [::1]:2380`, `unix member.sock`: as Go names an address in errors. */
export function describeAddress(address: ListenAddress): string {
  if (address.kind === 'unix') return `unix ${address.path}`;
  return `tcp ${hostAndPort(address.host, address.port)}`;
}

/** `host:port`, with brackets around an IPv6 address. */
export function hostAndPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Throws etcd's refusal when `address` is to be secure and there is no certificate. */
export function requireCertificate(address: ListenAddress, url: string, tls?: object): void {
  if (!address.secure || tls !== undefined) return;
  throw new Error(`cannot listen on TLS for ${url}: KeyFile and CertFile are not presented`);
}
