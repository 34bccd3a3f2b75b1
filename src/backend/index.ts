export { BUCKETS } from './backend.js';
export type { Backend, BackendSnapshot, Bucket, Pair, ScanOptions } from './backend.js';
export { MemoryBackend } from './memory-backend.js';
export {
  ClusterKey,
  MetaKey,
  decodeUint64,
  encodeUint64,
  leaseIdFromKey,
  leaseKey,
} from './schema.js';
