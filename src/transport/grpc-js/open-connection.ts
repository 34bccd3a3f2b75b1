/**
 * Looks at the first call of an HTTP/2 connection before anybody serves it.
 */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { emptySettings } from './frames.js';
import { Opening } from './opening.js';
import { RepairedConnection } from './repaired-connection.js';

/** A client that says nothing for so long gets served as it is. */
const QUIET_MS = 1_000;

/**
 * Calls `opened` once with the connection to serve: `socket` itself, with all its bytes put back, or,
 * if its client says an :authority that must be repaired, a stream that does that. The preface must
 * have been seen and put back. A connection that ends first is destroyed and `opened` never called.
 */
export function openConnection(
  socket: Socket,
  opened: (connection: Duplex) => void,
  quietMs = QUIET_MS,
): void {
  const opening = new Opening();
  const finish = (): void => {
    clearTimeout(timer);
    socket.off('readable', read).off('close', finish).off('end', giveUp);
  };
  const giveUp = (): void => {
    finish();
    socket.destroy();
  };
  const handOn = (needsRepair: boolean): void => {
    finish();
    const { bytes, ackOwed } = opening;
    if (needsRepair || ackOwed) return opened(new RepairedConnection(socket, bytes, ackOwed));
    socket.unshift(bytes);
    opened(socket);
  };
  const read = (): void => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    timer.refresh();
    const verdict = opening.push(chunk);
    if (verdict !== 'wait') handOn(verdict === 'repair');
    else if (opening.greet()) socket.write(emptySettings);
  };
  const timer = setTimeout(() => handOn(false), quietMs);
  socket.on('readable', read).on('close', finish).on('end', giveUp);
  read();
}
