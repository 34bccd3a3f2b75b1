/**
 * Tells HTTP/2 from HTTP/1.1 by a connection's first bytes.
 */
import type { Socket } from 'node:net';

/** What every HTTP/2 client says first (RFC 9113, section 3.4). */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

export type Protocol = 'http1' | 'http2';

/** The protocol that `bytes` begin, or undefined while they fit the preface and are too few. */
export function protocolOf(bytes: Uint8Array): Protocol | undefined {
  const seen = Math.min(bytes.length, PREFACE.length);
  if (PREFACE.compare(bytes, 0, seen, 0, seen) !== 0) return 'http1';
  return bytes.length >= PREFACE.length ? 'http2' : undefined;
}

/**
 * Waits for enough bytes, puts them back and calls `chosen` once. A connection that has not said
 * enough within `timeoutMs`, or ends before, is destroyed and `chosen` never called.
 */
export function sniffProtocol(
  socket: Socket,
  timeoutMs: number,
  chosen: (protocol: Protocol) => void,
): void {
  let bytes: Buffer = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  const finish = (): void => {
    clearTimeout(timer);
    socket.off('readable', read).off('close', finish).off('end', giveUp);
  };
  const giveUp = (): void => {
    finish();
    socket.destroy();
  };
  const read = (): void => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    const protocol = protocolOf(bytes);
    if (protocol === undefined) return;
    finish();
    socket.unshift(bytes);
    chosen(protocol);
  };
  socket.on('readable', read).on('close', finish).on('end', giveUp);
}
