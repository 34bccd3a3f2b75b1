/** One member: the core, its disk, the writes on their way to it, and a state machine that only checks. */
import {
  EntryType,
  Raft,
  type ConfChangeProposal,
  type Entry,
  type Message,
  type RaftConfig,
  type Ready,
} from '../../../src/raft/index.js';
import { decodeChange } from '../support/conf-change-data.js';
import { type MemoryDisk } from '../support/memory-disk.js';
import { type Checker, type LogView } from './checker.js';

export type CoreOptions = Omit<RaftConfig, 'storage' | 'applied'>;

export class SimulatedMember implements LogView {
  readonly disk: MemoryDisk;
  readonly #options: CoreOptions;
  readonly #checker: Checker;
  readonly #send: (message: Message) => void;
  raft: Raft | undefined;
  /** Writes not yet durable, oldest first. */
  #writes: Ready[] = [];
  #toApply: Entry[] = [];
  /** The log as handed out: terms from `firstIndex - 1` on. */
  #terms: number[] = [];
  #termsFrom = 0;
  #leadsIn = 0;
  #commitSeen = 0;
  #completeFor = 0;

  constructor(
    options: CoreOptions,
    disk: MemoryDisk,
    checker: Checker,
    send: (message: Message) => void,
  ) {
    this.disk = disk;
    this.#options = options;
    this.#checker = checker;
    this.#send = send;
  }

  get id(): bigint {
    return this.#options.id;
  }

  get firstIndex(): number {
    return this.#termsFrom;
  }

  get lastIndex(): number {
    return this.#termsFrom + this.#terms.length - 1;
  }

  readonly termAt = (index: number): number | undefined => this.#terms[index - this.#termsFrom];

  get applied(): number {
    return this.raft?.applied ?? this.disk.appliedIndex;
  }

  start(): void {
    if (this.raft !== undefined) return;
    const { disk } = this;
    this.#termsFrom = disk.firstIndex() - 1;
    this.#terms = [];
    for (let i = this.#termsFrom; i <= disk.lastIndex(); i++) this.#terms.push(disk.term(i)!);
    this.#commitSeen = this.#termsFrom;
    this.#leadsIn = 0;
    this.raft = new Raft({ ...this.#options, storage: disk, applied: disk.appliedIndex });
  }

  /** Of the writes under way the oldest `survivors` reach the disk, unreported. */
  crash(survivors: number, loseUnsynced: boolean): void {
    for (const ready of this.#writes.slice(0, survivors)) this.disk.write(ready);
    if (loseUnsynced) this.disk.loseUnsynced();
    this.#writes = [];
    this.#toApply = [];
    this.raft = undefined;
  }

  /** Takes one Ready, if there is one. */
  takeReady(): void {
    const { raft } = this;
    if (raft === undefined || !raft.hasReady()) return;
    const ready = raft.ready();
    this.#view(raft, ready);
    if (ready.snapshot !== undefined) this.#toApply = [];
    this.#writes.push(ready);
    this.#toApply.push(...ready.committedEntries);
    for (const message of ready.messages) this.#send(message);
    for (const { context, index } of ready.readStates) {
      this.#checker.readAnswered(Number(new TextDecoder().decode(context)), index);
    }
  }

  #view(raft: Raft, { entries, snapshot, hardState }: Ready): void {
    const stillLeads = raft.role === 'leader' && this.#leadsIn === raft.term;
    if (stillLeads) this.#checker.leaderAppends(raft, this, entries);
    if (snapshot !== undefined) {
      const { index, term } = snapshot.metadata;
      this.#termsFrom = index;
      this.#terms = [term];
      this.#commitSeen = index;
    }
    for (const entry of entries) {
      this.#terms.length = entry.index - this.#termsFrom;
      this.#checker.entryWritten(entry, this.termAt(entry.index - 1));
      this.#terms.push(entry.term);
    }
    if (hardState !== undefined) {
      this.#checker.commitKnown(raft, hardState.commit, this.#commitSeen + 1, this);
      this.#commitSeen = Math.max(this.#commitSeen, hardState.commit);
    }
  }

  /** The oldest `count` writes become durable; only the last of them is reported when `grouped`. */
  persist(count: number, grouped: boolean): void {
    const done = this.#writes.splice(0, count);
    if (this.raft === undefined || done.length === 0) return;
    if (grouped) {
      for (const ready of done) this.disk.write(ready);
      this.raft.appended(done.at(-1)!);
    }
    for (const ready of done) {
      if (!grouped) {
        this.disk.write(ready);
        this.raft.appended(ready);
      }
      for (const message of ready.messagesAfterAppend) this.#send(message);
    }
  }

  apply(count: number): void {
    const { raft } = this;
    if (raft === undefined) return;
    for (const entry of this.#toApply.splice(0, count)) {
      this.#checker.applied(entry);
      if (entry.type !== EntryType.normal) {
        this.#checker.confStateAt(entry.index, raft.applyConfChange(decodeChange(entry.data)));
      }
      raft.appliedTo(entry.index);
    }
  }

  propose(proposal: ConfChangeProposal): void {
    this.raft?.proposeConfChange(proposal);
  }

  /** The state machine makes durable what it has applied. */
  flush(): void {
    const { raft } = this;
    if (raft !== undefined && !this.#installing) {
      this.disk.saveApplied(raft.applied, raft.confState);
    }
  }

  compact(keep: number): void {
    const { raft } = this;
    if (raft !== undefined && !this.#installing) {
      this.disk.compact(raft.applied, raft.confState, keep);
    }
  }

  get #installing(): boolean {
    return this.#writes.some(({ snapshot }) => snapshot !== undefined);
  }

  /** Checks what holds after every step. */
  check(): void {
    const { raft } = this;
    if (raft === undefined) return;
    this.#checker.committedUpTo(raft.commitIndex);
    if (raft.role !== 'leader') return;
    this.#checker.leaderSeen(raft);
    const { commitsSeen } = this.#checker;
    if (this.#leadsIn === raft.term && this.#completeFor === commitsSeen) return;
    this.#leadsIn = raft.term;
    this.#completeFor = commitsSeen;
    this.#checker.leaderComplete(raft, this);
  }
}
