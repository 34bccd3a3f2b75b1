/** ReadIndex requests under way at a leader (dissertation, section 6.4). Knows no messages. */
import { quorumIndex, type VoterSets } from './quorum.js';

/** A read of the state machine at `index` or later sees all that was committed before the request. */
export interface ReadResult {
  readonly index: number;
  /** The request's, unchanged. */
  readonly context: Uint8Array;
}

/** Who asked. */
export interface ReadRequest {
  readonly from: bigint;
  readonly context: Uint8Array;
}

interface PendingRead extends ReadRequest {
  readonly round: number;
  /** The commit index when the request came. */
  readonly index: number;
}

/**
 * Each request gets the number of a round of heartbeats. Whoever echoes a round still followed this
 * leader after all earlier rounds too, so only the highest echo of each member counts, and what is
 * confirmed is the quorum index over the echoes.
 */
export class ReadQueue {
  #lastRound = 0;
  #pending: PendingRead[] = [];
  /** Asked before the leader had committed in its term, when it may not know what is committed. */
  #parked: ReadRequest[] = [];
  readonly #echoes = new Map<bigint, number>();

  /** Forgets everything: requesters ask again. Round numbers go on, for echoes may be late. */
  clear(): void {
    this.#pending = [];
    this.#parked = [];
    this.#echoes.clear();
  }

  park(request: ReadRequest): void {
    this.#parked.push(request);
  }

  takeParked(): ReadRequest[] {
    const parked = this.#parked;
    this.#parked = [];
    return parked;
  }

  add(request: ReadRequest, index: number): void {
    this.#lastRound++;
    this.#pending.push({ ...request, round: this.#lastRound, index });
  }

  /** The round that heartbeats must carry now; 0 for none. */
  get openRound(): number {
    return this.#pending.length === 0 ? 0 : this.#lastRound;
  }

  echoed(id: bigint, round: number): void {
    if (round > (this.#echoes.get(id) ?? 0)) this.#echoes.set(id, round);
  }

  /** Takes out what a quorum has confirmed; the leader itself agrees without an echo. */
  takeConfirmed(sets: VoterSets, self: bigint): PendingRead[] {
    if (this.#pending.length === 0) return [];
    const confirmed = quorumIndex(sets, (id) =>
      id === self ? Infinity : (this.#echoes.get(id) ?? 0),
    );
    const open = this.#pending.findIndex(({ round }) => round > confirmed);
    return this.#pending.splice(0, open === -1 ? this.#pending.length : open);
  }
}
