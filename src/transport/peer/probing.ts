/**
 * `/raft/probing`: a sign of life with the time, by which peers tell round trips and clock drift.
 */
import type { Clock } from '../../server/environment.js';
import type { HttpReply } from '../../server/rpc.js';

export function probingReply(clock: Clock): HttpReply {
  const now = new Date(clock.wallMs()).toISOString();
  return {
    status: 200,
    headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    body: JSON.stringify({ OK: true, Now: now }) + '\n',
  };
}
