/**
 * Sends whole answers.
 */
import type { ServerResponse } from 'node:http';
import type { HttpReply } from '../../server/rpc.js';

export function sendReply(response: ServerResponse, reply: HttpReply): void {
  const body = Buffer.from(reply.body);
  response.writeHead(reply.status, { ...reply.headers, 'Content-Length': body.length });
  response.end(body);
}

/** Closes the connection after the answer. */
export function sendLastReply(response: ServerResponse, reply: HttpReply): void {
  response.setHeader('Connection', 'close');
  sendReply(response, reply);
}
