export type { BoltPair, BoltSource } from './bolt-source.js';
export type { BoltPlan, BoltWriteOptions } from './bolt-writer.js';
export { planBoltFile } from './bolt-writer.js';
export { BoltReader } from './bolt-reader.js';
export { checkBoltFile } from './bolt-check.js';
export type { BoltErrorCode } from './errors.js';
export { BoltError } from './errors.js';
export type { RandomAccess } from './random-access.js';
export { memoryAccess } from './random-access.js';
export type { OpenSnapshotOptions } from './snapshot-file.js';
export {
  SHA256_BYTES,
  hasSha256,
  openSnapshotFile,
  requireSha256,
  withSha256,
} from './snapshot-file.js';
export type { SnapshotStatus, StatusEdition } from './snapshot-status.js';
export { requireSound, snapshotStatus } from './snapshot-status.js';
