/**
 * Raft's promises, looked at after every step.
 *
 * Verifies (Raft paper, figure 3, and what rests on it):
 * - `election-safety`: a term has at most one leader.
 * - `durable-vote`: a node grants its vote to one candidate a term, whatever crashes lie between.
 * - `leader-append-only`: a leader never overwrites or deletes entries of its log.
 * - `log-matching`: two logs that hold an entry of the same index and term are equal up to there.
 * - `leader-completeness`: a new leader holds every entry that an earlier term has committed.
 * - `state-machine-safety`: no two nodes commit or apply different entries at one index, in order.
 * - `committed-is-final`: a node drops no entry that it knows as committed.
 * - `quorum-commit`: when an index is first committed, a majority of voters has it on disk.
 * - `current-term-commit`: a leader commits by counting only with an entry of its own term (5.4.2).
 * - `monotonic-node`: term and commit index of a running node never fall, applied does not pass commit.
 *
 * Does not verify what a snapshot contains (the equal-hash checker does), nor that anything happens at
 * all (the progress checker does). Nodes that keep their log but lose their disk's promises break raft
 * itself: a world that wipes a disk must give the node a new id.
 */
import { MessageType, type ConfState, type Entry, type Message } from '../../raft/index.js';
import { CommittedLog } from './committed-log.js';
import { LogMatching, NodeLog } from './log-matching.js';
import { ViolationError } from './violation.js';
import type { NodeView, StepChecker, WorldView } from './world-view.js';

/** What a node looked like after the last step. */
interface Seen {
  incarnation: number;
  role: NodeView['role'];
  term: number;
  commitIndex: number;
  appliedIndex: number;
  confState: ConfState;
  readonly log: NodeLog;
}

export class RaftInvariants implements StepChecker {
  readonly #seen = new Map<bigint, Seen>();
  /** Leader of each term that has had one. */
  readonly #leaders = new Map<number, bigint>();
  /** Candidate that each node has voted for, by node and term. */
  readonly #votes = new Map<string, bigint>();
  readonly #matching = new LogMatching();
  readonly #committed = new CommittedLog();

  /** Every entry that some node has applied, in order, from the first: what the cluster did. */
  appliedEntries(): readonly Entry[] {
    return this.#committed.appliedEntries();
  }

  /** When any node first applied `index`, in true virtual milliseconds; undefined if none has. */
  appliedAtMs(index: number): number | undefined {
    return this.#committed.appliedAtMs(index);
  }

  /** Highest index that any node has known as committed. */
  get commitIndex(): number {
    return this.#committed.lastIndex;
  }

  /** Throws {@link ViolationError}. */
  message({ type, from, to, term, reject }: Message): void {
    if (type === MessageType.voteResponse && !reject) this.#vote(from, term, to);
    if (type === MessageType.append || type === MessageType.heartbeat) this.#leads(from, term);
  }

  /** Throws {@link ViolationError}. */
  step(world: WorldView): void {
    for (const node of world.changed?.() ?? world.nodes()) {
      if (node.alive) this.#look(node, world);
    }
  }

  /** The same, with every log read in full: for the end of a run. Throws {@link ViolationError}. */
  finish(world: WorldView): void {
    for (const node of world.nodes()) {
      const seen = this.#seen.get(node.id);
      if (!node.alive || seen === undefined) continue;
      seen.log.forget();
      seen.commitIndex = 0;
      seen.appliedIndex = 0;
      this.#look(node, world);
    }
  }

  #look(node: NodeView, world: WorldView): void {
    const seen = this.#seenOf(node);
    this.#checkMonotonic(node, seen);
    this.#checkLog(node, seen);
    const becameLeader = node.role === 'leader' && !isSameLeader(node, seen);
    if (becameLeader) this.#checkNewLeader(node);
    if (node.commitIndex > seen.commitIndex) this.#checkCommit(node, seen, world);
    if (node.appliedIndex > seen.appliedIndex) this.#checkApplied(node, seen, world.nowMs);
    seen.role = node.role;
    seen.term = node.term;
    seen.commitIndex = node.commitIndex;
    seen.appliedIndex = node.appliedIndex;
    seen.confState = node.confState;
  }

  /** A new process knows nothing of what the old one had in memory. */
  #seenOf(node: NodeView): Seen {
    const known = this.#seen.get(node.id);
    if (known?.incarnation === node.incarnation) return known;
    const fresh: Seen = {
      incarnation: node.incarnation,
      role: 'follower',
      term: 0,
      commitIndex: 0,
      appliedIndex: 0,
      confState: node.confState,
      log: new NodeLog(),
    };
    this.#seen.set(node.id, fresh);
    this.#checkKeptVote(node);
    return fresh;
  }

  /** A process begins with the vote that an earlier one gave in this term. */
  #checkKeptVote({ id, term, vote }: NodeView): void {
    const given = this.#votes.get(`${id} ${term}`) ?? vote;
    expect(vote === given, 'durable-vote', () => {
      return `node ${id} voted for ${given} in term ${term}, but started with a vote for ${vote}`;
    });
  }

  #checkMonotonic(node: NodeView, seen: Seen): void {
    const who = `node ${node.id}`;
    expect(node.term >= seen.term, 'monotonic-node', () => {
      return `${who}'s term fell from ${seen.term} to ${node.term}`;
    });
    expect(node.commitIndex >= seen.commitIndex, 'monotonic-node', () => {
      return `${who}'s commit index fell from ${seen.commitIndex} to ${node.commitIndex}`;
    });
    expect(node.appliedIndex >= seen.appliedIndex, 'monotonic-node', () => {
      return `${who}'s applied index fell from ${seen.appliedIndex} to ${node.appliedIndex}`;
    });
    expect(node.appliedIndex <= node.commitIndex, 'monotonic-node', () => {
      return `${who} applied ${node.appliedIndex} but knows only ${node.commitIndex} as committed`;
    });
    if (node.term !== seen.term || node.vote === 0n || seen.log.vote === 0n) {
      seen.log.vote = node.vote;
      return;
    }
    expect(node.vote === seen.log.vote, 'durable-vote', () => {
      return `${who} changed its vote in term ${node.term} from ${seen.log.vote} to ${node.vote}`;
    });
  }

  #checkLog(node: NodeView, seen: Seen): void {
    const change = seen.log.compare(node);
    if (change === undefined) return;
    const { from, dropped } = change;
    if (dropped > 0) {
      expect(!isSameLeader(node, seen), 'leader-append-only', () => {
        return `leader ${node.id} of term ${node.term} changed its log from index ${from} on`;
      });
      expect(from > seen.commitIndex, 'committed-is-final', () => {
        return `node ${node.id} dropped its log from index ${from} on, committed up to ${seen.commitIndex}`;
      });
    }
    this.#matching.take(node, from);
    seen.log.take(node, from);
  }

  #checkNewLeader(node: NodeView): void {
    const { term, id } = node;
    this.#leads(id, term);
    this.#vote(id, term, id);
    const missing = this.#committed.firstMissing(node);
    expect(missing === undefined, 'leader-completeness', () => {
      return `leader ${id} of term ${term} lacks committed index ${missing}`;
    });
  }

  #leads(id: bigint, term: number): void {
    const other = this.#leaders.get(term) ?? id;
    expect(other === id, 'election-safety', () => {
      return `term ${term} has two leaders, ${other} and ${id}`;
    });
    this.#leaders.set(term, id);
  }

  #checkCommit(node: NodeView, seen: Seen, world: WorldView): void {
    const before = this.#committed.lastIndex;
    const differing = this.#committed.commit(node, seen.commitIndex + 1);
    expect(differing === undefined, 'state-machine-safety', () => {
      return `node ${node.id} committed another entry than others at index ${differing}`;
    });
    // What nobody knew before, this leader has counted itself.
    if (node.commitIndex <= before || node.role !== 'leader') return;
    const confStates = [seen.confState, node.confState];
    const term = node.entryAt(node.commitIndex)?.term;
    if (term === undefined) return;
    expect(term === node.term, 'current-term-commit', () => {
      return `leader ${node.id} of term ${node.term} committed index ${node.commitIndex} of term ${term}`;
    });
    const holders = holdersOf(node.commitIndex, term, world);
    expect(
      confStates.some((confState) => isQuorum(holders, confState)),
      'quorum-commit',
      () =>
        `leader ${node.id} committed index ${node.commitIndex} of term ${term}, ` +
        `which only ${[...holders].join(', ') || 'nobody'} of ${node.confState.voters.join(', ')} holds on disk`,
    );
  }

  #checkApplied(node: NodeView, seen: Seen, nowMs: number): void {
    const differing = this.#committed.apply(node, seen.appliedIndex + 1, nowMs);
    expect(differing === undefined, 'state-machine-safety', () => {
      return `node ${node.id} applied another entry than others at index ${differing}`;
    });
  }

  #vote(node: bigint, term: number, candidate: bigint): void {
    const ballot = `${node} ${term}`;
    const before = this.#votes.get(ballot) ?? candidate;
    expect(before === candidate, 'durable-vote', () => {
      return `node ${node} voted for ${before} and for ${candidate} in term ${term}`;
    });
    this.#votes.set(ballot, candidate);
  }
}

function isSameLeader(node: NodeView, seen: Seen): boolean {
  return seen.role === 'leader' && node.role === 'leader' && seen.term === node.term;
}

/** Nodes whose disk holds the entry, or a snapshot past it. */
function holdersOf(index: number, term: number, world: WorldView): Set<bigint> {
  const holders = new Set<bigint>();
  for (const { id, durable } of world.nodes()) {
    const isCovered = index < durable.firstIndex;
    if (isCovered || durable.termAt(index) === term) holders.add(id);
  }
  return holders;
}

/** In a joint configuration both halves have to agree. */
function isQuorum(holders: ReadonlySet<bigint>, confState: ConfState): boolean {
  return [confState.voters, confState.votersOutgoing].every((voters) => {
    if (voters.length === 0) return true;
    const count = voters.filter((id) => holders.has(id)).length;
    return count > voters.length / 2;
  });
}

function expect(holds: boolean, promise: string, explain: () => string): void {
  if (!holds) throw new ViolationError({ promise, explanation: explain() });
}
