/** All services over one connection. */
import { createClusterClient, type ClusterClient } from './cluster.js';
import { Connection, type ConnectionOptions } from './connection.js';
import { createKvClient, type KvClient } from './kv.js';
import { createLeaseClient, type LeaseClient } from './lease.js';
import { createMaintenanceClient, type MaintenanceClient } from './maintenance.js';
import { createRawClient, type RawClient } from './raw.js';
import { createWatchClient, type WatchClient } from './watch.js';

export interface Client {
  kv: KvClient;
  watch: WatchClient;
  lease: LeaseClient;
  cluster: ClusterClient;
  maintenance: MaintenanceClient;
  raw: RawClient;
  /** Ends every call. */
  close(): void;
}

/** A client of a cluster. Connects when it is first used. */
export function createClient(options: ConnectionOptions): Client {
  const connection = new Connection(options);
  return {
    kv: createKvClient(connection),
    watch: createWatchClient(connection),
    lease: createLeaseClient(connection),
    cluster: createClusterClient(connection),
    maintenance: createMaintenanceClient(connection),
    raw: createRawClient(connection),
    close: () => connection.close(),
  };
}
