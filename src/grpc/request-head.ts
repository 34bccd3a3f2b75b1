/** The header fields of a request, checked as RFC 9113, sections 8.2 and 8.3, wants them. */
import type { FieldList } from './http2/header-decoder.js';

export interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly authority: string | undefined;
  readonly contentType: string;
  /** -1: not said. */
  readonly contentLength: number;
  /** grpc-timeout and grpc-encoding, as they were said. */
  readonly timeout: string | undefined;
  readonly encoding: string | undefined;
}

/** Lower case only; a name is what HTTP calls a token. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const BAD_VALUE = /[\0\r\n]/;
const DIGITS = /^[0-9]{1,15}$/;

/** Fields that are about a connection and have no place on a stream. */
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

/** undefined when the request is malformed. */
export function readRequestHead(fields: FieldList): RequestHead | undefined {
  let method: string | undefined;
  let path: string | undefined;
  let scheme: string | undefined;
  let authority: string | undefined;
  let contentType = '';
  let contentLength = -1;
  let timeout: string | undefined;
  let encoding: string | undefined;
  const regular = firstRegular(fields);
  for (let i = 0; i < regular; i += 2) {
    const value = fields[i + 1]!;
    if (BAD_VALUE.test(value)) return undefined;
    switch (fields[i]) {
      case ':method':
        if (method !== undefined) return undefined;
        method = value;
        break;
      case ':path':
        if (path !== undefined) return undefined;
        path = value;
        break;
      case ':scheme':
        if (scheme !== undefined) return undefined;
        scheme = value;
        break;
      case ':authority':
        if (authority !== undefined) return undefined;
        authority = value;
        break;
      default:
        return undefined;
    }
  }
  for (let i = regular; i < fields.length; i += 2) {
    const name = fields[i]!;
    const value = fields[i + 1]!;
    if (!isSound(name, value)) return undefined;
    switch (name) {
      case 'content-type':
        contentType = value;
        break;
      case 'content-length':
        if (!DIGITS.test(value)) return undefined;
        contentLength = Number(value);
        break;
      case 'grpc-timeout':
        timeout = value;
        break;
      case 'grpc-encoding':
        encoding = value;
        break;
      default:
    }
  }
  if (method === undefined || scheme === undefined || path === undefined || path === '') {
    return undefined;
  }
  return { method, path, authority, contentType, contentLength, timeout, encoding };
}

/** Where the fields begin that are no pseudo-fields. */
function firstRegular(fields: FieldList): number {
  let i = 0;
  while (i < fields.length && fields[i]!.charCodeAt(0) === COLON) i += 2;
  return i;
}

const COLON = 0x3a;

function isSound(name: string, value: string): boolean {
  if (!NAME.test(name) || BAD_VALUE.test(value) || CONNECTION_FIELDS.has(name)) return false;
  return name !== 'te' || value === 'trailers';
}

/** May these stand behind a message? */
export function areSoundTrailers(fields: FieldList): boolean {
  for (let i = 0; i < fields.length; i += 2) if (!isSound(fields[i]!, fields[i + 1]!)) return false;
  return true;
}

/** The first value of the field `name`, in lower case. */
export function fieldOf(fields: FieldList, name: string): string | undefined {
  for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return fields[i + 1];
  return undefined;
}
