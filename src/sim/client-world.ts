/** What clients share. */
import type { CallContext } from '../server/index.js';
import type { EventLoop } from './event-loop.js';
import type { HistoryRecorder } from './history.js';
import type { VirtualNetwork } from './network.js';
import type { Node } from './node.js';
import type { Trace } from './trace.js';

/** What a client needs of its world. */
export interface ClientWorld {
  readonly loop: EventLoop;
  readonly network: VirtualNetwork;
  readonly trace: Trace;
  readonly history: HistoryRecorder;
  /** Nodes that clients may ask, in a fixed order; never empty. */
  clientNodes(): readonly Node[];
  /** Clients should come to an end. */
  readonly stopping: boolean;
  /** Wakes sleepers when {@link ClientWorld.stopping} becomes true. */
  onStopping(action: () => void): () => void;
  /** A client of this name exists from now on. */
  meet(client: string): void;
  /** Urls of a member to be added at `slot`. */
  peerUrlsFor(slot: number): string[];
}

/** A call without metadata, deadline or cancellation. */
export const PLAIN_CALL: CallContext = {
  metadata: () => undefined,
  remote: 'simulated',
  timeLeftMs: () => undefined,
  cancelled: false,
  onCancel: () => {},
};
