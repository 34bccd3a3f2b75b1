/**
 * The promises of the paper's figure 3, checked on what the members hand out, and those of ReadIndex.
 * It sees every entry of every log and every commit index, but not what a member keeps to itself: a
 * state that never reaches a Ready is not checked.
 */
import assert from 'node:assert/strict';
import type { ConfState, Entry, Raft } from '../../../src/raft/index.js';

interface Committed {
  readonly term: number;
  /** Term of the member that first reported it committed. */
  readonly knownInTerm: number;
}

/** What one member's log looks like from outside: terms by index. */
export interface LogView {
  readonly termAt: (index: number) => number | undefined;
  readonly firstIndex: number;
  readonly lastIndex: number;
}

export class Checker {
  readonly #leaders = new Map<number, bigint>();
  readonly #entries = new Map<string, string>();
  readonly #committed: Committed[] = [];
  readonly #applied: string[] = [];
  readonly #confStates = new Map<number, string>();
  #maxCommit = 0;
  readonly #readFloors = new Map<number, number>();
  readsAnswered = 0;
  /** Grows with every commit that is news. */
  commitsSeen = 0;
  /** The configuration that the furthest member has applied. */
  newestConf: { index: number; voters: readonly bigint[] } = { index: 0, voters: [] };
  readonly #members = new Set<bigint>();

  /** Election safety: at most one leader a term. */
  leaderSeen(raft: Raft): void {
    const leader = this.#leaders.get(raft.term) ?? raft.id;
    assert.equal(leader, raft.id, `election safety: two leaders in term ${raft.term}`);
    this.#leaders.set(raft.term, leader);
  }

  /** Leader completeness: what was committed in earlier terms is in every later leader's log. */
  leaderComplete(raft: Raft, log: LogView): void {
    for (let index = log.firstIndex; index < this.#committed.length; index++) {
      const committed = this.#committed[index];
      if (committed === undefined || committed.knownInTerm >= raft.term) continue;
      const found = log.termAt(index);
      assert.equal(found, committed.term, `leader completeness: ${raft.id} lacks ${index}`);
    }
  }

  /** Leader append-only: what a leader writes in its term follows what it has. */
  leaderAppends(raft: Raft, log: LogView, entries: readonly Entry[]): void {
    const first = entries[0]?.index ?? log.lastIndex + 1;
    assert.equal(first, log.lastIndex + 1, `leader append-only: ${raft.id} rewrote ${first}`);
  }

  /** Log matching, by induction: index and term fix the entry and the term before it. */
  entryWritten(entry: Entry, previousTerm: number | undefined): void {
    if (previousTerm === undefined) return;
    const key = `${entry.index}@${entry.term}`;
    const content = `${identity(entry)} after ${previousTerm}`;
    const known = this.#entries.get(key) ?? content;
    assert.equal(content, known, `log matching: two entries ${key}`);
    this.#entries.set(key, content);
  }

  /** A member reports its commit index; only the part that its log still shows can be compared. */
  commitKnown(raft: Raft, commit: number, from: number, log: LogView): void {
    for (let index = Math.max(from, log.firstIndex); index <= commit; index++) {
      const term = log.termAt(index)!;
      const known = this.#committed[index];
      if (known !== undefined) {
        assert.equal(term, known.term, `two entries committed at ${index}`);
        if (known.knownInTerm <= raft.term) continue;
      }
      this.#committed[index] = { term, knownInTerm: raft.term };
      this.commitsSeen++;
    }
    this.committedUpTo(commit);
  }

  committedUpTo(commit: number): void {
    this.#maxCommit = Math.max(this.#maxCommit, commit);
  }

  get maxCommit(): number {
    return this.#maxCommit;
  }

  /** State-machine safety: nobody applies another entry at an index. */
  applied(entry: Entry): void {
    const content = `${entry.term} ${identity(entry)}`;
    const known = (this.#applied[entry.index] ??= content);
    assert.equal(content, known, `state-machine safety at ${entry.index}`);
  }

  /** Every member is in the same configuration at the same index. */
  confStateAt(index: number, confState: ConfState): void {
    const text = describeConf(confState);
    const known = this.#confStates.get(index) ?? text;
    assert.equal(text, known, `configurations differ at ${index}`);
    this.#confStates.set(index, text);
    const { voters, votersOutgoing, learners } = confState;
    const members = [...voters, ...votersOutgoing, ...learners];
    for (const id of members) this.#members.add(id);
    if (index > this.newestConf.index) {
      this.newestConf = { index, voters: [...voters, ...votersOutgoing] };
    }
  }

  wasMember(id: bigint): boolean {
    return this.#members.has(id);
  }

  /** A read is about to be requested; returns its name. */
  readBegins(): number {
    const name = this.#readFloors.size + 1;
    this.#readFloors.set(name, this.#maxCommit);
    return name;
  }

  /** ReadIndex: at or after everything that anybody knew to be committed when it was requested. */
  readAnswered(name: number, index: number): void {
    const floor = this.#readFloors.get(name)!;
    assert.ok(index >= floor, `read ${name} is stale: ${index}, but ${floor} was committed`);
    this.readsAnswered++;
  }
}

function identity(entry: Entry): string {
  return `${entry.type}:${new TextDecoder().decode(entry.data)}`;
}

export function describeConf(conf: ConfState): string {
  const { voters, votersOutgoing, learners, learnersNext, autoLeave } = conf;
  return `${voters}|${votersOutgoing}|${learners}|${learnersNext}|${autoLeave}`;
}
