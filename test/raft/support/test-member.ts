/** One core with its disk, driven by hand: Readys are taken, persisted and applied when a test says so. */
import {
  EntryType,
  Raft,
  SeededRandom,
  type ConfState,
  type Entry,
  type HardState,
  type Message,
  type RaftConfig,
  type RaftEvent,
  type ReadResult,
  type Ready,
} from '../../../src/raft/index.js';
import { decodeChange } from './conf-change-data.js';
import { MemoryDisk, confOf } from './memory-disk.js';

/** Roomy limits, no extras; election timeout 10 to 19 ticks. */
export const DEFAULTS = {
  electionTicks: 10,
  heartbeatTicks: 1,
  preVote: false,
  checkQuorum: false,
  maxBytesPerMessage: 1 << 20,
  maxInflightMessages: 256,
  maxInflightBytes: 0,
  maxUncommittedBytes: 0,
  maxCommittedBytesPerReady: 1 << 20,
};

export interface MemberOptions extends Partial<Omit<RaftConfig, 'storage'>> {
  readonly confState?: ConfState;
  /** Terms of the entries it is born with, from index 1 on. */
  readonly log?: readonly number[];
  readonly hardState?: HardState;
}

export class TestMember {
  readonly id: bigint;
  readonly disk: MemoryDisk;
  readonly #options: MemberOptions;
  raft: Raft;
  /** Messages that may leave now, in order. */
  sent: Message[] = [];
  /** Readys whose writes are under way. */
  writes: Ready[] = [];
  toApply: Entry[] = [];
  readonly applied: Entry[] = [];
  readonly reads: ReadResult[] = [];
  readonly events: RaftEvent[] = [];

  constructor(options: MemberOptions = {}) {
    this.#options = options;
    this.id = options.id ?? 1n;
    this.disk = new MemoryDisk(options.confState ?? confOf([1n, 2n, 3n]));
    const log = entriesOf(options.log ?? []);
    const term = log.at(-1)?.term ?? 0;
    this.disk.found(log, options.hardState ?? { term, vote: 0n, commit: 0 });
    this.raft = this.#boot();
  }

  #boot(): Raft {
    return new Raft({
      ...DEFAULTS,
      id: this.id,
      random: new SeededRandom(Number(this.id)),
      ...this.#options,
      storage: this.disk,
      applied: this.disk.appliedIndex,
    });
  }

  /** What was not persisted is gone. */
  restart(): void {
    this.writes = [];
    this.toApply = [];
    this.sent = [];
    this.raft = this.#boot();
  }

  takeReady(): Ready {
    const ready = this.raft.ready();
    this.writes.push(ready);
    this.toApply.push(...ready.committedEntries);
    this.sent.push(...ready.messages);
    this.reads.push(...ready.readStates);
    this.events.push(...ready.events);
    return ready;
  }

  /** The oldest write under way becomes durable, and what waited for it may leave. */
  persist(): void {
    const ready = this.writes.shift();
    if (ready === undefined) return;
    this.disk.write(ready);
    this.raft.appended(ready);
    this.sent.push(...ready.messagesAfterAppend);
  }

  apply(): void {
    for (const entry of this.toApply.splice(0)) {
      if (entry.type !== EntryType.normal) this.raft.applyConfChange(decodeChange(entry.data));
      this.raft.appliedTo(entry.index);
      this.applied.push(entry);
    }
  }

  /** Does everything there is to do, at once. */
  pump(): this {
    while (this.writes.length > 0 || this.toApply.length > 0 || this.raft.hasReady()) {
      if (this.raft.hasReady()) this.takeReady();
      this.persist();
      this.apply();
    }
    return this;
  }

  takeSent(): Message[] {
    return this.sent.splice(0);
  }

  tick(times: number): this {
    for (let i = 0; i < times; i++) {
      this.raft.tick();
      this.pump();
    }
    return this;
  }

  /** Takes a message, does all that follows, and returns what it sends. */
  answer(message: Message): Message[] {
    this.pump();
    this.sent = [];
    this.raft.step(message);
    return this.pump().takeSent();
  }

  compact(keep = 0): void {
    this.disk.compact(this.raft.applied, this.raft.confState, keep);
  }

  /** The terms of the whole log, from the first index kept. */
  logTerms(): number[] {
    const { disk } = this;
    return disk.entries(disk.firstIndex(), disk.lastIndex() + 1, Infinity).map(({ term }) => term);
  }
}

/** Entries with these terms, from `first` on; the data names the index. */
export function entriesOf(terms: readonly number[], first = 1): Entry[] {
  return terms.map((term, i) => {
    const index = first + i;
    return { type: EntryType.normal, term, index, data: bytes(`e${index}`) };
  });
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function text(data: Uint8Array): string {
  return new TextDecoder().decode(data);
}
