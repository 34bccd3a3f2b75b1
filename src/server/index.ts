export { Member } from './member.js';
export {
  DEFAULT_CONFIG,
  type InitialMember,
  type MemberConfig,
  StartError,
} from './member-config.js';
export type { Clock, Disk, Environment, Logger, LogLevel, Random, Timer } from './environment.js';
export type {
  PeerHandler,
  PeerIdentity,
  PeerNetwork,
  PeerReply,
  PeerRequest,
} from './peer-network.js';
export type {
  CallContext,
  HttpHandler,
  HttpReply,
  HttpRequest,
  Listener,
  Method,
  StreamMethod,
  StreamReader,
  StreamWriter,
  UnaryMethod,
} from './rpc.js';
export { type Services, createServices, methodsOf } from './services/index.js';
export { METRICS_PATHS, serveHttp } from './http-endpoints.js';
export type { AutoCompaction } from './auto-compactor.js';
export { MemberMetrics } from './metrics/member-metrics.js';
export { measured } from './metrics/measured-methods.js';
export { type Counter, type Histogram, type Registry } from './metrics/registry.js';
export { DEFAULT_QUOTA_BYTES } from './quota.js';
export { MIN_CLUSTER_VERSION, SERVER_VERSION } from './versions.js';
export { clusterIdOf, memberIdOf } from './ids.js';
export { RestoreError, type RestoreOptions, type Restored, restoreSnapshot } from './restore.js';
export { foundCluster } from './bootstrap.js';
