/**
 * Ports for members. They are taken below the range from which the kernel picks source ports: a
 * member is killed and restarted on the same port, and in between nothing else may be given it.
 */
import { createServer } from 'node:net';

const [first, last] = (process.env.KVORUM_E2E_PORTS ?? '20000-31999').split('-').map(Number) as [
  number,
  number,
];
const span = last - first + 1;
let next = first + Math.floor(Math.random() * span);

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/**
 * A TCP port of 127.0.0.1 that nobody listens on now, never the same twice in this process unless
 * the range is used up. KVORUM_E2E_PORTS=FIRST-LAST sets the range.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < span; tries++) {
    const port = next;
    next = next === last ? first : next + 1;
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port in ${first}-${last}`);
}
