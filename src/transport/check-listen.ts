/** Finding out early that an address cannot be listened on, long before the port is opened for good. */
import { createServer } from 'node:net';
import { listen } from './listen.js';
import { parseListenUrl } from './listen-address.js';

/** Rejects as {@link listenClientPort} would now: address in use, not ours, or no listen URL at all. */
export async function checkListenUrl(url: string): Promise<void> {
  const address = parseListenUrl(url);
  const server = createServer();
  await listen(server, address);
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
