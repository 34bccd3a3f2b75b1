/**
 * Plays conversations: text files of blocks, each with commands, a line of dashes, and what resulted. The
 * result is compared with the file, or written to it when REWRITE=1 is set (then read the diff).
 *
 *     cluster 1 2 3            members with that configuration (learners=4, preVote, checkQuorum, heartbeat=N, inflight=N)
 *     start 4 | log 1 1,1,2    a newcomer with an empty log; a member with entries of these terms
 *     elect 1                  campaign and settle, without showing how
 *     campaign 1 | tick 1 10 | propose 1 a b | read 1 ctx | transfer 1 2 | change 1 +4 -2 ~3 [implicit|explicit]
 *     ready 1 | persist 1 | apply 1     one Ready; its write done; everything handed out applied
 *     deliver 2 | drop 2 | settle       all messages for a member; or everything until nothing moves
 *     restart 1 | compact 1 [keep] | snapshot-status 1 4 ok|failed | unreachable 1 2 | isolate 3 | rejoin 3
 *     status 1
 */
import {
  ConfChangeTransition,
  ConfChangeType,
  EntryType,
  MessageType,
  type Entry,
  type Message,
  type RaftEvent,
  type Ready,
} from '../../../src/raft/index.js';
import { describeConf } from '../simulation/checker.js';
import { change, decodeChange, encodeChange } from './conf-change-data.js';
import { confOf } from './memory-disk.js';
import { TestMember, bytes, text, type MemberOptions } from './test-member.js';

const SEPARATOR = '----';

/** Returns the file as it should be. */
export function playTrace(file: string): string {
  const runner = new TraceRunner();
  const blocks = file.trim().split(/\n{2,}/);
  return `${blocks.map((block) => runner.block(block)).join('\n\n')}\n`;
}

class TraceRunner {
  readonly #members = new Map<bigint, TestMember>();
  #options: MemberOptions = {};
  readonly #isolated = new Set<bigint>();
  #inFlight: Message[] = [];
  #out: string[] = [];

  block(block: string): string {
    const commands = block.split(`\n${SEPARATOR}`)[0]!.split('\n');
    if (commands.every((line) => line.startsWith('#'))) return block;
    this.#out = [];
    for (const line of commands) if (!line.startsWith('#')) this.#command(line);
    const result = this.#out.length === 0 ? ['(nothing)'] : this.#out;
    return [...commands, SEPARATOR, ...result].join('\n');
  }

  #command(line: string): void {
    const [name = '', ...args] = line.trim().split(/\s+/);
    if (name === 'cluster') return this.#cluster(args);
    if (name === 'settle') return this.#settle();
    const id = BigInt(args[0]!);
    if (name === 'elect') return this.#elect(id);
    if (name === 'start') return this.#start(id, {});
    if (name === 'log') return this.#log(id, args[1]!);
    const member = this.#members.get(id);
    if (member === undefined) throw new Error(`no member ${id}`);
    this.#memberCommand(member, name, args.slice(1));
  }

  #cluster(args: string[]): void {
    const ids = args.filter((arg) => /^\d+$/.test(arg)).map(BigInt);
    const value = (key: string): string | undefined =>
      args.find((arg) => arg.startsWith(`${key}=`))?.slice(key.length + 1);
    const learners = (value('learners')?.split(',') ?? []).map(BigInt);
    this.#options = {
      confState: confOf(ids, learners),
      preVote: args.includes('preVote'),
      checkQuorum: args.includes('checkQuorum'),
      heartbeatTicks: Number(value('heartbeat') ?? 1),
      maxInflightMessages: Number(value('inflight') ?? 256),
    };
    for (const id of [...ids, ...learners]) this.#start(id, {});
  }

  /** The same everywhere, so only its outcome is shown. */
  #elect(id: bigint): void {
    this.#members.get(id)!.raft.campaign();
    this.#settle();
    this.#out = [];
    this.#status(this.#members.get(id)!);
  }

  #start(id: bigint, options: MemberOptions): void {
    this.#members.set(id, new TestMember({ ...this.#options, ...options, id }));
  }

  #log(id: bigint, terms: string): void {
    this.#start(id, { log: terms.split(',').map(Number) });
  }

  #memberCommand(member: TestMember, name: string, args: string[]): void {
    const { raft, id } = member;
    const other = (): bigint => BigInt(args[0]!);
    switch (name) {
      case 'campaign':
        return raft.campaign();
      case 'tick':
        for (let i = 0; i < Number(args[0] ?? 1); i++) raft.tick();
        return;
      case 'propose':
        return this.#say(`${raft.propose(args.map(bytes))}`);
      case 'change':
        return this.#change(member, args);
      case 'read':
        return this.#say(raft.readIndex(bytes(args[0]!)));
      case 'transfer':
        return raft.transferLeader(other());
      case 'unreachable':
        return raft.reportUnreachable(other());
      case 'snapshot-status':
        return raft.reportSnapshot(other(), args[1] === 'ok');
      case 'ready':
        return this.#ready(member);
      case 'persist':
        member.persist();
        return this.#collect(member);
      case 'apply':
        return member.apply();
      case 'deliver':
        return this.#deliver(id, true);
      case 'drop':
        return this.#deliver(id, false);
      case 'restart':
        return member.restart();
      case 'compact':
        return member.compact(Number(args[0] ?? 0));
      case 'isolate':
        this.#isolated.add(id);
        return;
      case 'rejoin':
        this.#isolated.delete(id);
        return;
      case 'status':
        return this.#status(member);
      default:
        throw new Error(`unknown command ${name}`);
    }
  }

  #say(line: string): void {
    this.#out.push(line);
  }

  #change({ raft }: TestMember, args: string[]): void {
    const kinds: Record<string, ConfChangeType> = {
      '+': ConfChangeType.addNode,
      '-': ConfChangeType.removeNode,
      '~': ConfChangeType.addLearnerNode,
    };
    const words = args.filter((arg) => kinds[arg[0]!] !== undefined);
    const changes = words.map((arg) => [kinds[arg[0]!]!, BigInt(arg.slice(1))] as const);
    const transition = args.includes('implicit')
      ? ConfChangeTransition.jointImplicit
      : args.includes('explicit')
        ? ConfChangeTransition.jointExplicit
        : ConfChangeTransition.auto;
    const type = changes.length === 1 && transition === ConfChangeTransition.auto ? 'v1' : 'v2';
    this.#say(raft.proposeConfChange({ type, data: encodeChange(change(changes, transition)) }));
  }

  #ready(member: TestMember): void {
    if (!member.raft.hasReady()) return this.#say(`${member.id} has nothing to do`);
    const ready = member.takeReady();
    this.#out.push(...describeReady(member.id, ready));
    this.#collect(member);
  }

  #collect(member: TestMember): void {
    this.#inFlight.push(...member.takeSent());
  }

  #deliver(to: bigint, arrives: boolean): void {
    const due = this.#inFlight.filter((message) => message.to === to);
    this.#inFlight = this.#inFlight.filter((message) => message.to !== to);
    for (const message of due) {
      const lost = !arrives || this.#isolated.has(to) || this.#isolated.has(message.from);
      this.#say(`${lost ? 'lost ' : ''}${describeMessage(message)}`);
      if (!lost) this.#members.get(to)?.raft.step(message);
    }
  }

  #settle(): void {
    for (let moved = true; moved;) {
      moved = this.#inFlight.length > 0;
      for (const member of this.#members.values()) {
        if (this.#settleMember(member)) moved = true;
      }
      for (const id of this.#members.keys()) this.#deliver(id, true);
      this.#inFlight = [];
    }
  }

  #settleMember(member: TestMember): boolean {
    let moved = false;
    while (member.raft.hasReady() || member.writes.length > 0 || member.toApply.length > 0) {
      moved = true;
      if (member.raft.hasReady()) this.#out.push(...describeReady(member.id, member.takeReady()));
      member.persist();
      member.apply();
    }
    this.#collect(member);
    return moved;
  }

  #status({ raft }: TestMember): void {
    const { id, role, term, vote, leader, commitIndex, applied, lastIndex, confState, progress } =
      raft.status();
    this.#say(
      `${id} ${role} term=${term} vote=${vote} leader=${leader} commit=${commitIndex}` +
        ` applied=${applied} last=${lastIndex} conf=${describeConf(confState)}`,
    );
    for (const [other, { state, match, next, isPaused }] of progress) {
      this.#say(`  ${other}: ${state} match=${match} next=${next}${isPaused ? ' paused' : ''}`);
    }
  }
}

function describeReady(id: bigint, ready: Ready): string[] {
  const lines = [`${id} Ready${ready.mustSync ? ' (must sync)' : ''}`];
  const { hardState, snapshot, entries, committedEntries, readStates } = ready;
  for (const event of ready.events) lines.push(`  * ${describeEvent(event)}`);
  if (snapshot !== undefined) lines.push(`  install snapshot ${describeSnapshot(snapshot)}`);
  if (entries.length > 0) lines.push(`  write ${entries.map(describeEntry).join(' ')}`);
  if (hardState !== undefined) {
    const { term, vote, commit } = hardState;
    lines.push(`  write term=${term} vote=${vote} commit=${commit}`);
  }
  if (committedEntries.length > 0) {
    lines.push(`  apply ${committedEntries.map(describeEntry).join(' ')}`);
  }
  for (const { index, context } of readStates) lines.push(`  read ${text(context)} at ${index}`);
  for (const message of ready.messages) lines.push(`  send ${describeMessage(message)}`);
  for (const message of ready.messagesAfterAppend) {
    lines.push(`  send when written ${describeMessage(message)}`);
  }
  return lines;
}

function describeEvent(event: RaftEvent): string {
  const { type, ...fields } = event;
  const parts = Object.entries(fields).map(([key, value]) =>
    key === 'confState' ? describeConf(value as never) : `${key}=${value}`,
  );
  return [type, ...parts].join(' ');
}

function describeSnapshot({ metadata }: NonNullable<Message['snapshot']>): string {
  return `${metadata.index}@${metadata.term} conf=${describeConf(metadata.confState)}`;
}

/** index@term, then what it is: quoted data, a change, or nothing for an empty entry. */
function describeEntry({ index, term, type, data }: Entry): string {
  const place = `${index}@${term}`;
  if (type === EntryType.normal) return data.length === 0 ? place : `${place}"${text(data)}"`;
  const { changes } = decodeChange(data);
  const signs = ['+', '-', '=', '~'];
  return `${place}[${changes.map(({ type: kind, nodeId }) => `${signs[kind]}${nodeId}`).join(' ') || 'leave joint'}]`;
}

const TYPE_NAMES = new Map(Object.entries(MessageType).map(([name, type]) => [type, name]));

function describeMessage(message: Message): string {
  const { type, from, to, term, index, logTerm, commit, reject, rejectHint, entries } = message;
  const parts = [`${from}->${to} ${TYPE_NAMES.get(type)}`];
  if (term > 0) parts.push(`term=${term}`);
  if (type === MessageType.append) parts.push(`after=${index}@${logTerm}`);
  else if (type === MessageType.vote || type === MessageType.preVote) {
    parts.push(`last=${index}@${logTerm}`);
  } else if (index > 0) parts.push(`index=${index}`);
  if (reject) parts.push('reject');
  if (reject && type === MessageType.appendResponse) parts.push(`hint=${rejectHint}@${logTerm}`);
  if (commit > 0) parts.push(`commit=${commit}`);
  if (message.context.length > 0) parts.push(`context=${describeContext(message.context)}`);
  if (message.snapshot !== undefined) parts.push(describeSnapshot(message.snapshot));
  for (const entry of entries)
    parts.push(entry.index > 0 ? describeEntry(entry) : text(entry.data));
  return parts.join(' ');
}

/** A round of ReadIndex is a number; a transfer's mark is text. */
function describeContext(context: Uint8Array): string {
  return context.length === 8 ? `${context[7]}` : text(context);
}
