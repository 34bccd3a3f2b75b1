export { Store } from './store.js';
export type { StoreOptions } from './store.js';
export type { LeaseBook } from './leases.js';
export type { KeyspaceHash } from './hash.js';
export { checkDelete, checkPut, checkRange, checkTxn } from './check-request.js';
export { isReadOnlyTxn, isSerializableTxn, putCostBytes, txnCostBytes } from './txn.js';
export { MalformedRecordError, decodeRecord, encodeRecord, encodeTombstone } from './record.js';
export {
  isRecordKey,
  isTombstoneKey,
  mainOfRecordKey,
  recordKey,
  subOfRecordKey,
} from './revision.js';
export { ABOVE_ALL_KEYS, endOfRange } from './key-range.js';
export type { WatchFeed } from './watch-feed.js';
export type { WatchStream } from './watch-stream.js';
export { NO_WATCH_ID } from './watch-delivery.js';
export type { WatchDelivery, WatchSink } from './watch-delivery.js';
export type { EventBatch } from './event-batch.js';
export { eventSizeBytes } from './event-batch.js';
