/** Loopback ports for servers. */
import { createServer } from 'node:net';

/** Hands out free ports: any, or from `first` upwards. */
export function portSource(first: number | undefined): () => Promise<number> {
  let next = first;
  return async () => {
    if (next === undefined) return (await tryPort(0))!;
    for (;;) {
      const port = await tryPort(next++);
      if (port !== undefined) return port;
    }
  };
}

/** The port that could be listened on; undefined when it is taken. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const found = typeof address === 'object' ? address?.port : undefined;
      server.close(() => resolve(found));
    });
  });
}
