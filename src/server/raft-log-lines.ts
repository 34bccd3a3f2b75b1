/** The core's events as the lines that etcd's raft logs: what operators and tests look for. */
import { hexId } from '../bytes/index.js';
import type { RaftEvent } from '../raft/index.js';
import type { Logger } from './environment.js';

/** Logs one event of member `id`. */
export function logRaftEvent(log: Logger, id: bigint, event: RaftEvent): void {
  const line = lineOf(hexId(id), event);
  if (line !== undefined)
    log(event.type === 'quorumLost' ? 'warn' : 'info', line, { logger: 'raft' });
}

function lineOf(self: string, event: RaftEvent): string | undefined {
  switch (event.type) {
    case 'becameFollower':
      return `${self} became follower at term ${event.term}`;
    case 'becamePreCandidate':
      return `${self} became pre-candidate at term ${event.term}`;
    case 'becameCandidate':
      return `${self} became candidate at term ${event.term}`;
    case 'becameLeader':
      return `${self} became leader at term ${event.term}`;
    case 'leaderChanged':
      return leaderLine(self, event);
    case 'higherTerm':
      return `${self} [term: ${event.ownTerm}] received a message with higher term from ${hexId(event.from)} [term: ${event.term}]`;
    case 'campaignStarted':
      return `${self} is starting a new election at term ${event.term}`;
    case 'voteReceived':
      return voteLine(self, event);
    case 'voteCast':
      return castLine(self, event);
    case 'quorumLost':
      return `${self} stepped down to follower since quorum is not active`;
    case 'confChanged':
      return configurationLine(self, event);
    case 'snapshotSent':
      return `${self} sent snapshot[index: ${event.index}] to ${hexId(event.to)} [firstindex: ${event.firstIndex}]`;
    case 'snapshotRestored':
      return `${self} restored snapshot [index: ${event.index}, term: ${event.term}]`;
    case 'transferStarted':
      return `${self} [term ${event.term}] starts to transfer leadership to ${hexId(event.to)}`;
    case 'transferAborted':
      return `${self} [term ${event.term}] gave up transferring leadership to ${hexId(event.to)}: ${event.reason}`;
    case 'confChangeIgnored':
      return `${self} ignoring conf change at index ${event.index}: possible unapplied conf change at index ${event.pendingIndex}`;
    default:
      return undefined; // of use to metrics and traces only
  }
}

type Of<Type extends RaftEvent['type']> = Extract<RaftEvent, { type: Type }>;

function leaderLine(self: string, { leader, previous, term }: Of<'leaderChanged'>): string {
  if (leader === 0n) return `raft.node: ${self} lost leader ${hexId(previous)} at term ${term}`;
  if (previous === 0n) return `raft.node: ${self} elected leader ${hexId(leader)} at term ${term}`;
  return `raft.node: ${self} changed leader from ${hexId(previous)} to ${hexId(leader)} at term ${term}`;
}

function voteLine(self: string, event: Of<'voteReceived'>): string {
  const kind = event.preVote ? 'MsgPreVoteResp' : 'MsgVoteResp';
  const verdict = event.granted ? '' : ' rejection';
  return (
    `${self} received ${kind}${verdict} from ${hexId(event.from)} at term ${event.term}; ` +
    `has received ${event.grants} ${kind} votes and ${event.rejections} vote rejections`
  );
}

function castLine(self: string, event: Of<'voteCast'>): string {
  const kind = event.preVote ? 'MsgPreVote' : 'MsgVote';
  return (
    `${self} [logterm: ${event.lastTerm}, index: ${event.lastIndex}, vote: ${hexId(event.vote)}] ` +
    `${event.granted ? 'cast' : 'rejected'} ${kind} for ${hexId(event.candidate)} ` +
    `[logterm: ${event.candidateLastTerm}, index: ${event.candidateLastIndex}] at term ${event.term}`
  );
}

function configurationLine(self: string, { confState }: Of<'confChanged'>): string {
  const voters = `voters=(${confState.voters.join(' ')})`;
  const outgoing =
    confState.votersOutgoing.length > 0 ? `&&(${confState.votersOutgoing.join(' ')})` : '';
  const learners =
    confState.learners.length > 0 ? ` learners=(${confState.learners.join(' ')})` : '';
  return `${self} switched to configuration ${voters}${outgoing}${learners}`;
}
