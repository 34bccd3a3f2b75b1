/** Kinds of traffic. */
export { kubernetesWorkload, REGISTRY } from './kubernetes.js';
export type { KubernetesAction, KubernetesStep } from './kubernetes.js';
export { KV_KEYS, KV_PREFIX, kvWorkload } from './kv.js';
export type { KvAction, KvGuard, KvStep } from './kv.js';
export { LEASE_PREFIX, leaseWorkload } from './lease.js';
export type { LeaseAction, LeaseStep } from './lease.js';
export { membershipWorkload } from './membership.js';
export type { MembershipAction, MembershipStep } from './membership.js';
export { WATCH_KEYS, WATCH_PREFIX, watchWorkload } from './watch.js';
export type { WatchAction, WatchStep } from './watch.js';
export { Watcher } from './watcher.js';
export type { WatcherOptions } from './watcher.js';
export type {
  ClientPlan,
  OpenWatch,
  Plan,
  PlanOptions,
  Timed,
  WatchListener,
  Workload,
  WorkloadClient,
} from './workload-client.js';
