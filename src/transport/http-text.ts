/**
 * Plain-text answers in the shape of Go's net/http, which etcd's clients and probes see.
 */
import type { HttpReply } from '../server/rpc.js';

/** A refusal: the text and a newline, never to be sniffed as anything but text. */
export function textReply(
  status: number,
  text: string,
  headers: Record<string, string> = {},
): HttpReply & { headers: Record<string, string> } {
  return {
    status,
    headers: {
      ...headers,
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
    },
    body: text + '\n',
  };
}

/** What an unknown path gets. */
export function notFoundReply(): HttpReply & { headers: Record<string, string> } {
  return textReply(404, '404 page not found');
}

/** What a known path gets for a method that it does not have; `allow` names those it has. */
export function methodNotAllowedReply(
  allow: string,
): HttpReply & { headers: Record<string, string> } {
  return textReply(405, 'Method Not Allowed', { Allow: allow });
}
