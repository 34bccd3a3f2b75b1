/**
 * Binds a server to an address: the one place where listening sockets are opened.
 */
import { lstat, unlink } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';
import { describeAddress, type ListenAddress } from './listen-address.js';

/** Go's words for what bind(2) refuses. */
const BIND_ERRORS: Record<string, string> = {
  EADDRINUSE: 'address already in use',
  EADDRNOTAVAIL: 'cannot assign requested address',
  EACCES: 'permission denied',
};

/**
 * Resolves to the bound port (0 for a Unix socket). Rejects with one line in etcd's words, e.g.
 * "listen tcp 127.0.0.1:2380: bind: address already in use".
 */
export async function listen(server: Server, address: ListenAddress): Promise<number> {
  if (address.kind === 'unix') await removeStaleSocket(address.path);
  await new Promise<void>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(bindError(address, error));
    server.once('error', fail);
    server.listen(bindOptions(address), () => {
      server.off('error', fail);
      resolve();
    });
  });
  const bound = server.address() as AddressInfo | string | null;
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}

function bindOptions(address: ListenAddress): { host: string; port: number } | { path: string } {
  return address.kind === 'unix'
    ? { path: address.path }
    : { host: address.host, port: address.port };
}

function bindError(address: ListenAddress, error: NodeJS.ErrnoException): Error {
  const reason = BIND_ERRORS[error.code ?? ''] ?? error.message;
  return new Error(`listen ${describeAddress(address)}: bind: ${reason}`, { cause: error });
}

/** A socket file outlives a killed process and would make bind fail; other files are left alone. */
async function removeStaleSocket(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSocket()) await unlink(path);
}
