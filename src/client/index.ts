export { createClient, type Client } from './client.js';
export { DEFAULT_OPTIONS, type CallOptions, type ConnectionOptions } from './connection.js';
export type { LinkOptions, TlsOptions } from './link.js';
export { parseEndpoint, type Endpoint } from './endpoint.js';
export { rangeOf, type KvClient } from './kv.js';
export { watchOf, type WatchClient } from './watch.js';
export type { LeaseClient } from './lease.js';
export type { ClusterClient } from './cluster.js';
export type { MaintenanceClient } from './maintenance.js';
