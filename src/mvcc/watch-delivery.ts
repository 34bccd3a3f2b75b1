/** What a watch stream hands to whoever carries it to the client. */
import type { EventBatch } from './event-batch.js';

export type WatchDelivery =
  /** The watch exists; nothing of it came before. */
  | { kind: 'created'; watchId: bigint; revision: number }
  /** Created and cancelled in one: the request was no good. Nothing occupies the id, which is -1. */
  | { kind: 'refused'; watchId: bigint; revision: number; cancelReason: string }
  /** `fragment`: more of the same response follows at once. */
  | {
      kind: 'events';
      watchId: bigint;
      revision: number;
      batch: EventBatch;
      fragment: boolean;
    }
  /** Nothing at or below `revision` is still to come. watchId -1 speaks for the whole stream. */
  | { kind: 'progress'; watchId: bigint; revision: number }
  /**
   * The watch is over: because the client said so (`compactRevision` 0), or because its history is
   * gone (above 0, `revision` is 0, and the id stays taken until the client cancels it).
   */
  | { kind: 'canceled'; watchId: bigint; revision: number; compactRevision: number };

/** The stream's way out. */
export interface WatchSink {
  /**
   * Takes `delivery`, always, and must not throw. False says that it is full: no events come until
   * {@link WatchStream.resume}. Answers to requests (created, refused, canceled, progress) still come,
   * one a request, so a sink that is full should not read more requests.
   */
  deliver(delivery: WatchDelivery): boolean;
}

/** The watch id that stands for no watch, or for all of a stream. */
export const NO_WATCH_ID = -1n;
