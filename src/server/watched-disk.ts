/**
 * The disk of a member that ends when its disk cannot be read, whoever asked: the core in the middle of a
 * message, a client's range of old revisions, a watcher that catches up, the sender of a snapshot. Writes
 * are their callers' to report.
 */
import type { Backend, BackendSnapshot } from '../backend/index.js';
import type { RaftLog } from '../storage/index.js';
import type { Disk } from './environment.js';

/** Hears of every read that failed; the error goes on to the caller, too. */
export type ReadFailed = (error: unknown) => void;

export function watchDisk(disk: Disk, failed: ReadFailed): Disk {
  return {
    location: disk.location,
    log: watchLog(disk.log, failed),
    backend: watchBackend(disk.backend, failed),
    createSpool: () => disk.createSpool(),
    close: () => disk.close(),
  };
}

function watchLog(log: RaftLog, failed: ReadFailed): RaftLog {
  return {
    initialState: () => log.initialState(),
    entries: (low, high, maxBytes) => read(() => log.entries(low, high, maxBytes), failed),
    term: (index) => read(() => log.term(index), failed),
    firstIndex: () => log.firstIndex(),
    lastIndex: () => log.lastIndex(),
    snapshot: () => log.snapshot(),
    append: (batch) => log.append(batch),
    compact: (index) => log.compact(index),
    install: (metadata, hardState) => log.install(metadata, hardState),
    saveConfState: (metadata) => log.saveConfState(metadata),
    identity: () => log.identity(),
    setIdentity: (identity) => log.setIdentity(identity),
    close: () => log.close(),
  };
}

function watchBackend(backend: Backend, failed: ReadFailed): Backend {
  return {
    get: (bucket, key) => read(() => backend.get(bucket, key), failed),
    put: (bucket, key, value) => backend.put(bucket, key, value),
    delete: (bucket, key) => backend.delete(bucket, key),
    scan: (bucket, options) => readLater(backend.scan(bucket, options), failed),
    commit: (options) => backend.commit(options),
    beforeCommit: (handler) => backend.beforeCommit(handler),
    get pendingOps() {
      return backend.pendingOps;
    },
    get pendingBytes() {
      return backend.pendingBytes;
    },
    snapshot: () => watchView(backend.snapshot(), failed),
    replace: (pairs) => backend.replace(pairs),
    sizeBytes: () => backend.sizeBytes(),
    sizeInUseBytes: () => backend.sizeInUseBytes(),
    defragment: () => backend.defragment(),
    releaseMemory: () => backend.releaseMemory(),
    close: () => backend.close(),
  };
}

function watchView(view: BackendSnapshot, failed: ReadFailed): BackendSnapshot {
  return {
    scan: (bucket, options) => readLater(view.scan(bucket, options), failed),
    close: () => view.close(),
  };
}

function read<T>(action: () => T, failed: ReadFailed): T {
  try {
    return action();
  } catch (error) {
    failed(error);
    throw error;
  }
}

function readLater<T>(promise: Promise<T>, failed: ReadFailed): Promise<T> {
  return promise.catch((error: unknown) => {
    failed(error);
    throw error;
  });
}
