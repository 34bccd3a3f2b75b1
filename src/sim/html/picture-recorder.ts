/** Listens to a run and makes the data of its space-time picture. */
import type { SimulationResult } from '../simulation.js';
import type { TraceEvent, TraceListener } from '../trace.js';
import { brokenPromise } from './broken-promises.js';
import { ClientRows } from './client-rows.js';
import { Places, columnsOf } from './columns.js';
import { FaultBands } from './fault-bands.js';
import { MemberIds } from './member-ids.js';
import { MemberStretches } from './member-stretches.js';
import { SentMessages, rowOfMessage } from './sent-messages.js';
import { omittedOf, thinned } from './thinning.js';
import type {
  About,
  BrokenPromise,
  CommitRow,
  FaultBand,
  NoteRow,
  Picture,
  Stretch,
} from './viewer/picture.js';

export interface PictureOptions {
  readonly title: string;
  /** What runs it again. */
  readonly command: string;
  /** Said above the picture, beside what the result says. */
  readonly facts?: About['facts'];
  /** More messages are thinned out; 40,000 unless said, which keep a page under 5 MB. */
  readonly maxMessages?: number;
}

const MAX_MESSAGES = 40_000;

/** `new Simulation(scenario, { trace: recorder.listener })`, and after the run {@link picture}. */
export class PictureRecorder {
  readonly listener: TraceListener = (event) => this.#record(event);
  readonly #texts = new Places();
  readonly #members = new Places();
  readonly #clients = new Places();
  readonly #messages = new SentMessages(this.#members);
  readonly #stretches = new MemberStretches();
  readonly #faults = new FaultBands((host) => this.#members.of(host));
  readonly #clientRows = new ClientRows(this.#members, this.#clients, this.#texts);
  readonly #ids = new MemberIds();
  readonly #commits: CommitRow[] = [];
  readonly #notes: NoteRow[] = [];

  picture(result: SimulationResult, options: PictureOptions): Picture {
    const { history, violations, virtualMs } = result;
    const endUs = Math.round(virtualMs * 1000);
    const stretches = this.#stretches.until(endUs);
    const faults = this.#faults.until(endUs);
    const broken = violations
      .map((violation) => brokenPromise(violation, history, endUs))
      .map((one) => ({ ...one, explanation: this.#ids.named(one.explanation) }));
    const messages = this.#messages.list;
    const most = options.maxMessages ?? MAX_MESSAGES;
    const kept = thinned(messages, interestUs(stretches, faults, broken), most);
    const operations = this.#clientRows.operations(history, endUs);
    const rows = kept.map((message) => rowOfMessage(message, this.#texts));
    return {
      about: aboutOf(result, options, omittedOf(messages, kept)),
      members: this.#members.names,
      clients: this.#clients.names,
      endUs,
      messages: columnsOf(rows, MESSAGE_COLUMNS),
      commits: columnsOf(this.#commits, ['atUs', 'member', 'index']),
      notes: columnsOf(this.#notes, ['atUs', 'member', 'kind', 'text']),
      operations: columnsOf(operations, OPERATION_COLUMNS),
      arrivals: columnsOf(this.#clientRows.arrivals(history), ['atUs', 'watch', 'text']),
      stretches,
      faults,
      violations: broken,
      texts: this.#texts.names.map((text) => this.#ids.named(text)),
    };
  }

  #record(event: TraceEvent): void {
    switch (event.kind) {
      case 'send':
        return this.#messages.sent(event);
      case 'receive':
        return this.#messages.received(event);
      case 'drop':
        return this.#messages.dropped(event);
      case 'client':
        return this.#clientRows.client(event);
      case 'commit':
        return this.#commit(event);
      case 'role':
        this.#stretches.role(event, this.#members.of(event.who));
        return this.#note(event);
      case 'node':
        this.#ids.node(event);
        this.#stretches.node(event, this.#members.of(event.who));
        return this.#note(event);
      case 'fault':
        this.#faults.begins(event);
        return this.#note(event);
      case 'world':
      case 'disk':
      case 'log':
        return this.#note(event);
    }
  }

  #commit({ atUs, who, details }: TraceEvent): void {
    this.#commits.push({ atUs, member: this.#members.of(who), index: Number(details[0]) });
  }

  #note({ atUs, kind, who, details }: TraceEvent): void {
    const member = who === '' ? -1 : this.#members.of(who);
    const words = details.map((word) => (typeof word === 'bigint' ? word.toString(16) : word));
    const text = this.#texts.of(words.join(' '));
    this.#notes.push({ atUs, member, kind: this.#texts.of(kind), text });
  }
}

const MESSAGE_COLUMNS = ['atUs', 'tookUs', 'from', 'to', 'type', 'text', 'fate', 'id'] as const;
const OPERATION_COLUMNS = ['atUs', 'tookUs', 'id', 'client', 'member', 'outcome', 'text'] as const;

function interestUs(
  stretches: readonly Stretch[],
  faults: readonly FaultBand[],
  broken: readonly BrokenPromise[],
): number[] {
  return [
    ...stretches.map(({ fromUs }) => fromUs),
    ...faults.map(({ fromUs }) => fromUs),
    ...broken.flatMap(({ fromUs, untilUs }) => [fromUs, untilUs]),
  ];
}

function aboutOf(
  result: SimulationResult,
  { title, command, facts = [] }: PictureOptions,
  omitted: About['omitted'],
): About {
  const { virtualMs, events, operationsDone, commitIndex, traceHash } = result;
  return {
    title,
    command,
    facts: [
      ...facts,
      ['virtual seconds', (virtualMs / 1000).toFixed(1)],
      ['events', String(events)],
      ['operations done', String(operationsDone)],
      ['commit index', String(commitIndex)],
      ['trace', traceHash],
    ],
    omitted,
  };
}
