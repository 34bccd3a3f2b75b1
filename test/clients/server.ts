/** What the clients talk to: Kvorum in memory, on a port of this machine. */
import { open, type Kvorum } from '../../src/embed/index.js';

export interface TestServer {
  store: Kvorum;
  /** host:port. */
  endpoint: string;
  close(): Promise<void>;
}

/**
 * Starts a server; with KVORUM_CLIENTS_ENDPOINT=host:port the clients talk to that one instead, which
 * is how the suites themselves are checked against etcd.
 */
export async function startServer(): Promise<TestServer> {
  const store = await open({ memory: true });
  const { port } = await store.listen('http://127.0.0.1:0');
  const endpoint = process.env.KVORUM_CLIENTS_ENDPOINT ?? `127.0.0.1:${port}`;
  return { store, endpoint, close: () => store.close() };
}
