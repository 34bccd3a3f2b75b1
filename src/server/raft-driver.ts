/**
 * Drives the raft core: collects what a turn brings (ticks, messages, proposals), then persists,
 * sends and applies what the core's Ready asks for, in the order that makes it safe:
 *
 * - `messages` leave at once, also while this member's own fsync runs (a leader replicates early);
 * - `messagesAfterAppend` (votes, acknowledgements) leave only when the Ready they belong to is durable;
 * - committed entries are applied in log order, in slices, so that no backlog stalls heartbeats.
 */
import type { Entry, Message, Raft, RaftEvent, Ready, Snapshot } from '../raft/index.js';
import type { RaftLog } from '../storage/index.js';
import type { Clock } from './environment.js';

/** Longest time to handle Readys before other work gets its turn. */
const SLICE_MS = 10;

export interface RaftDriverHooks {
  /** A turn begins: put into the core what has gathered since the last (proposals). */
  beforeTurn(): void;
  /** Sends to peers; never blocks. Snapshot messages included. */
  send(messages: readonly Message[]): void;
  /** Applies one committed entry. A throw is fatal: the state may be half changed. */
  applyEntry(entry: Entry): void;
  /** All entries up to `index` are applied. */
  applied(index: number): void;
  /** True while the state machine cannot take more (its disk is behind); see {@link RaftDriver.resumeApply}. */
  applyBlocked(): boolean;
  /** Replaces the state by the snapshot that arrived, durably, log included. */
  installSnapshot(snapshot: Snapshot, ready: Ready): Promise<void>;
  readState(context: Uint8Array, index: number): void;
  event(event: RaftEvent): void;
  /** The member cannot go on: its disk refuses, or an invariant is broken. */
  fatal(error: unknown): void;
}

export class RaftDriver {
  readonly raft: Raft;
  readonly #log: RaftLog;
  readonly #clock: Clock;
  readonly #hooks: RaftDriverHooks;
  #turnPlanned = false;
  #stopped = false;
  #installing = false;
  #writesInFlight = 0;
  /** Handed out by raft and not yet applied, in log order. */
  readonly #toApply: (readonly Entry[])[] = [];
  /** A commit index that is not on disk yet; it rides on the next write (losing it loses nothing). */
  #unsavedCommit: Ready['hardState'];

  constructor(raft: Raft, log: RaftLog, clock: Clock, hooks: RaftDriverHooks) {
    this.raft = raft;
    this.#log = log;
    this.#clock = clock;
    this.#hooks = hooks;
  }

  /** Something was put into the core: its Readys are handled in the next turn, with all else of this one. */
  wake(): void {
    if (this.#turnPlanned || this.#stopped) return;
    this.#turnPlanned = true;
    this.#clock.nextTurn(() => {
      this.#turnPlanned = false;
      this.#turn();
    });
  }

  /** Handles now what a caller in a turn of its own has just put in. */
  run(): void {
    this.#turn();
  }

  /**
   * Puts something into the core (all but {@link RaftDriverHooks.beforeTurn} goes this way). What the core
   * throws, a log that cannot be read or a broken invariant, ends the member as it does in a turn of the
   * driver's own, and whoever called goes on; the result is undefined then, as after the end.
   */
  enter<T>(action: (raft: Raft) => T): T | undefined {
    if (this.#stopped) return undefined;
    try {
      return action(this.raft);
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  /** The state machine can take entries again. */
  resumeApply(): void {
    if (!this.#stopped && this.#toApply.length > 0) this.wake();
  }

  /** Handles nothing more. Writes under way end by themselves. */
  stop(): void {
    this.#stopped = true;
  }

  #turn(): void {
    if (this.#stopped || this.#installing) return;
    try {
      this.#handleReadys();
    } catch (error) {
      this.#fail(error);
    }
  }

  #handleReadys(): void {
    const until = this.#clock.monotonicMs() + SLICE_MS;
    this.#hooks.beforeTurn();
    this.#applyQueued(until);
    while (!this.#stopped && !this.#installing && this.raft.hasReady()) {
      this.#handle(this.raft.ready());
      this.#applyQueued(until);
      if (this.#clock.monotonicMs() >= until) return this.wake();
    }
  }

  #handle(ready: Ready): void {
    for (const event of ready.events) this.#hooks.event(event);
    if (ready.messages.length > 0) this.#hooks.send(ready.messages);
    if (ready.snapshot !== undefined) this.#install(ready.snapshot, ready);
    else this.#persist(ready);
    if (ready.committedEntries.length > 0) this.#toApply.push(ready.committedEntries);
    for (const { context, index } of ready.readStates) this.#hooks.readState(context, index);
  }

  #persist(ready: Ready): void {
    const { entries, messagesAfterAppend } = ready;
    const hardState = ready.hardState ?? this.#unsavedCommit;
    if (entries.length === 0 && !ready.mustSync) {
      this.#unsavedCommit = hardState;
      if (messagesAfterAppend.length === 0) return;
      if (this.#writesInFlight === 0) return this.#hooks.send(messagesAfterAppend);
    } else {
      this.#unsavedCommit = undefined;
    }
    this.#writesInFlight++;
    const batch = { entries, sync: ready.mustSync, ...(hardState && { hardState }) };
    this.#log
      .append(batch)
      .then(() => this.#persisted(ready))
      .catch((error: unknown) => this.#fail(error));
  }

  #persisted(ready: Ready): void {
    this.#writesInFlight--;
    if (this.#stopped) return;
    this.raft.appended(ready);
    if (ready.messagesAfterAppend.length > 0) this.#hooks.send(ready.messagesAfterAppend);
    this.#turn();
  }

  #applyQueued(untilMs: number): void {
    while (!this.#installing && this.#toApply.length > 0 && !this.#hooks.applyBlocked()) {
      const entries = this.#toApply.shift()!;
      for (const entry of entries) this.#hooks.applyEntry(entry);
      const index = entries.at(-1)!.index;
      this.raft.appliedTo(index);
      this.#hooks.applied(index);
      if (this.#clock.monotonicMs() >= untilMs) return this.wake();
    }
  }

  /** Nothing else is handled meanwhile: the log and the state change under the core's feet. */
  #install(snapshot: Snapshot, ready: Ready): void {
    this.#installing = true;
    this.#toApply.length = 0; // all of it is inside the snapshot
    this.#unsavedCommit = undefined;
    this.#installAndAppend(snapshot, ready)
      .then(() => this.#installed(snapshot, ready))
      .catch((error: unknown) => this.#fail(error));
  }

  async #installAndAppend(snapshot: Snapshot, ready: Ready): Promise<void> {
    await this.#hooks.installSnapshot(snapshot, ready);
    const { entries } = ready;
    if (entries.length > 0) await this.#log.append({ entries, sync: true });
  }

  #installed(snapshot: Snapshot, ready: Ready): void {
    this.#installing = false;
    if (this.#stopped) return;
    this.raft.appended(ready);
    this.#hooks.applied(snapshot.metadata.index);
    if (ready.messagesAfterAppend.length > 0) this.#hooks.send(ready.messagesAfterAppend);
    this.#turn();
  }

  #fail(error: unknown): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#hooks.fatal(error);
  }
}
