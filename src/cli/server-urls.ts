/** URLs as etcd's flags take them, with the texts of Go's and etcd's refusals. */
import { isIP } from 'node:net';
import { latin1FromUtf8, utf8FromLatin1 } from '../bytes/index.js';
import { goQuote } from './go-text/quote.js';

/** A URL that is refused; the message is etcd's. */
export class UrlError extends Error {
  override readonly name = 'UrlError';
}

/** `%q` of a text. */
export function quoted(text: string): string {
  return utf8FromLatin1(goQuote(latin1FromUtf8(text)));
}

/**
 * A comma-separated list. Blanks around a URL are dropped, its text is otherwise kept as given; the
 * list is sorted, as etcd sorts it. Throws {@link UrlError}.
 */
export function parseUrls(text: string): string[] {
  return checkUrls(text.split(','));
}

/** The same for URLs that are apart already. */
export function checkUrls(texts: readonly string[]): string[] {
  return texts.map((text) => checkUrl(text.trim())).sort();
}

function checkUrl(text: string): string {
  const { scheme, host, path } = splitUrl(text);
  if (!['http', 'https', 'unix', 'unixs'].includes(scheme)) {
    throw new UrlError(`URL scheme must be http, https, unix, or unixs: ${text}`);
  }
  if (scheme.startsWith('unix')) return text;
  if (splitHostPort(host) === undefined) {
    throw new UrlError(`URL address does not have the form "host:port": ${text}`);
  }
  if (path !== '') throw new UrlError(`URL must not contain a path: ${text}`);
  return text;
}

interface UrlParts {
  /** Lower case; '' when there is none. */
  scheme: string;
  /** With the port. */
  host: string;
  path: string;
}

/** url.Parse, as far as these URLs need it. */
function splitUrl(text: string): UrlParts {
  if (hasControlCharacter(text)) throw malformed(text, 'net/url: invalid control character in URL');
  const [, scheme = '', rest] = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(.*)$/s.exec(text)!;
  if (text.startsWith(':')) throw malformed(text, 'missing protocol scheme');
  if (scheme === '' && !text.startsWith('/') && text.split('/')[0]!.includes(':')) {
    throw malformed(text, 'first path segment in URL cannot contain colon');
  }
  const [, authority = '', path] = /^(?:\/\/([^/?#]*))?([^?#]*)/.exec(rest!)!;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  checkPort(text, host);
  return { scheme: scheme.toLowerCase(), host, path: path! };
}

function hasControlCharacter(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return /[\x00-\x1f\x7f]/.test(text);
}

function checkPort(text: string, host: string): void {
  const port = /^\[[^\]]*\](.*)$/.exec(host)?.[1] ?? /:[^:]*$/.exec(host)?.[0] ?? '';
  if (!/^(:[0-9]*)?$/.test(port)) {
    throw malformed(text, `invalid port ${quoted(port)} after host`);
  }
}

function malformed(text: string, why: string): UrlError {
  return new UrlError(`parse ${quoted(text)}: ${why}`);
}

/** net.SplitHostPort; the host comes without brackets. */
function splitHostPort(text: string): { host: string; port: string } | undefined {
  const bracketed = /^\[([^\][]*)\]:([^:\][]*)$/.exec(text);
  const plain = /^([^:\][]*):([^:\][]*)$/.exec(text);
  const match = bracketed ?? plain;
  return match === null ? undefined : { host: match[1]!, port: match[2]! };
}

/** Refuses a URL to listen on whose host is a name. Throws {@link UrlError}. */
export function checkListenUrls(urls: readonly string[]): void {
  for (const url of urls) {
    const { scheme, host } = splitUrl(url);
    if (scheme.startsWith('unix')) continue;
    const name = splitHostPort(host)!.host;
    // Go's ParseIP knows no zones.
    if (name === 'localhost' || (isIP(name) !== 0 && !name.includes('%'))) continue;
    throw new UrlError(`expected IP in URL for binding (${url})`);
  }
}

/** Refuses a URL to advertise that has no host. Throws {@link UrlError}. */
export function checkAdvertisedUrls(flag: string, urls: readonly string[]): void {
  for (const url of urls) {
    const { scheme, host } = splitUrl(url);
    if (scheme.startsWith('unix') || splitHostPort(host)!.host !== '') continue;
    const list = `[${urls.map(quoted).join(' ')}]`;
    throw new UrlError(`--${flag} ${list} must be "host:port" (unexpected empty host (${url}))`);
  }
}

/**
 * `name=url` pairs, comma separated; a name may repeat. In the order of first mention. Throws
 * {@link UrlError}.
 */
export function parseInitialCluster(text: string): { name: string; peerUrls: string[] }[] {
  const urlsByName = new Map<string, string[]>();
  for (const pair of text.split(',').filter((part) => part !== '')) {
    const at = pair.indexOf('=');
    const [name, url] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
    urlsByName.set(name, [...(urlsByName.get(name) ?? []), url]);
  }
  return [...urlsByName].map(([name, urls]) => ({ name, peerUrls: checkUrls(urls) }));
}
