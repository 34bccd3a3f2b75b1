/**
 * Everything one member knows (paper, figure 2: state). The rules that change it live in one file per
 * concern and take it as their first argument.
 */
import type { RaftConfig } from './config.js';
import type { RaftEvent, Role } from './events.js';
import { Inflights } from './inflights.js';
import { Log } from './log.js';
import { configurationFrom, membersOf, type Configuration } from './membership/configuration.js';
import { makeMessage, MessageType, type HardState, type Message } from './message.js';
import { Progress } from './progress.js';
import { ReadQueue, type ReadResult } from './read-queue.js';
import { randomTimeoutTicks } from './random.js';

export class RaftState {
  readonly config: RaftConfig;
  readonly id: bigint;
  readonly log: Log;

  term: number;
  /** Voted for in `term`; 0n for nobody. */
  vote: bigint;
  /** 0n when unknown. */
  leader = 0n;
  role: Role = 'follower';

  /** Followers: since the leader was heard or a vote given. Leaders: since the last quorum check. */
  electionElapsedTicks = 0;
  heartbeatElapsedTicks = 0;
  /** Drawn anew with every change of role or term. */
  electionTimeoutTicks = 0;

  configuration: Configuration;
  /** One for every member of `configuration`, ascending ids; kept current by leaders only. */
  readonly progress = new Map<bigint, Progress>();
  /** Answers to the own campaign. */
  readonly votes = new Map<bigint, boolean>();
  /** Number of the Ready that makes the own vote durable; 0 while it is not handed out. */
  ownVoteReady = 0;

  /** No configuration change is appended before the log is applied up to here. */
  pendingConfIndex = 0;
  /** Data in entries that this leader appended and has not handed out as committed. */
  uncommittedBytes = 0;
  /** Whom this leader is handing over to; 0n for nobody. */
  transferee = 0n;
  readonly reads = new ReadQueue();

  messages: Message[] = [];
  messagesAfterAppend: Message[] = [];
  readStates: ReadResult[] = [];
  events: RaftEvent[] = [];
  /** Last one handed out, or found at the start. */
  handedHardState: HardState;
  /** Number of the last Ready. */
  readyNumber = 0;

  constructor(config: RaftConfig) {
    const { hardState, confState } = config.storage.initialState();
    this.config = config;
    this.id = config.id;
    this.log = new Log(config.storage, hardState.commit, config.applied);
    this.term = hardState.term;
    this.vote = hardState.vote;
    this.handedHardState = hardState;
    this.configuration = configurationFrom(confState);
    this.fitProgress();
    this.drawElectionTimeout();
  }

  /** Brings `progress` in line with `configuration`. A newcomer starts as active, at the log's end. */
  fitProgress(): void {
    const members = membersOf(this.configuration);
    const known = new Map(this.progress);
    this.progress.clear();
    for (const id of members) {
      const progress = known.get(id) ?? this.newProgress();
      progress.isLearner = this.configuration.learners.has(id);
      this.progress.set(id, progress);
    }
  }

  newProgress(): Progress {
    const { maxInflightMessages, maxInflightBytes } = this.config;
    const inflights = new Inflights(maxInflightMessages, maxInflightBytes);
    const progress = new Progress(this.log.lastIndex + 1, inflights);
    // Else a quorum check before its first answer would count it as dead.
    progress.recentActive = true;
    return progress;
  }

  drawElectionTimeout(): void {
    this.electionTimeoutTicks = randomTimeoutTicks(this.config.random, this.config.electionTicks);
  }

  /**
   * Queues a message in the own term. Acknowledgements and votes promise something that must survive a
   * crash, so they wait until this member's writes are durable. Vote requests wait as well: they show a
   * log end that a crash could take back, and a late grant could then elect this member without it.
   */
  send(
    type: MessageType,
    to: bigint,
    fields: Partial<Omit<Message, 'type' | 'from' | 'to'>> = {},
  ): void {
    const message = makeMessage(type, this.id, to, { term: this.term, ...fields });
    if (isPromise(type)) this.messagesAfterAppend.push(message);
    else this.messages.push(message);
  }

  /** Passes on a proposal, read or transfer request to the leader, with its origin unchanged. */
  forward(message: Message, to: bigint): void {
    this.messages.push({ ...message, to, from: message.from === 0n ? this.id : message.from });
  }

  setLeader(leader: bigint): void {
    if (leader === this.leader) return;
    const previous = this.leader;
    this.leader = leader;
    this.events.push({ type: 'leaderChanged', term: this.term, previous, leader });
  }
}

function isPromise(type: MessageType): boolean {
  return (
    type === MessageType.appendResponse ||
    type === MessageType.vote ||
    type === MessageType.voteResponse
  );
}
