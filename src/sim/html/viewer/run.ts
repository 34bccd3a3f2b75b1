/** The picture's rows as things to draw, found by time. */
import { type Group, groupOf } from './message-groups.js';
import {
  type BrokenPromise,
  FATES,
  type Fate,
  type FaultBand,
  OUTCOMES,
  type OperationOutcome,
  type Picture,
  type Stretch,
  rowsOf,
} from './picture.js';
import { SpanIndex } from './span-index.js';
import { tracksOf } from './tracks.js';

export interface Message {
  readonly sort: 'message';
  readonly fromUs: number;
  readonly untilUs: number;
  readonly from: number;
  readonly to: number;
  readonly type: string;
  readonly group: Group;
  readonly text: string;
  readonly fate: Fate;
  readonly id: number;
}

export interface Operation {
  readonly sort: 'operation';
  readonly fromUs: number;
  readonly untilUs: number;
  readonly id: number;
  readonly client: number;
  /** Place among the tracks of all clients. */
  readonly track: number;
  readonly member: number;
  readonly outcome: OperationOutcome;
  readonly text: string;
}

export interface Arrival {
  readonly sort: 'arrival';
  readonly fromUs: number;
  readonly untilUs: number;
  readonly watch: Operation;
  readonly text: string;
}

export interface Commit {
  readonly sort: 'commit';
  readonly fromUs: number;
  readonly untilUs: number;
  readonly member: number;
  readonly index: number;
}

export interface Note {
  readonly sort: 'note';
  readonly fromUs: number;
  readonly untilUs: number;
  /** -1: nobody's. */
  readonly member: number;
  readonly kind: string;
  readonly text: string;
}

/** What a person can point at. */
export type Shape = Message | Operation | Arrival | Commit | Note;

export interface Run {
  readonly picture: Picture;
  readonly messages: SpanIndex<Message>;
  readonly operations: SpanIndex<Operation>;
  readonly arrivals: SpanIndex<Arrival>;
  readonly commits: SpanIndex<Commit>;
  readonly notes: SpanIndex<Note>;
  readonly stretches: SpanIndex<Stretch>;
  readonly faults: SpanIndex<FaultBand>;
  /** First track of each client, and after the last the number of all. */
  readonly firstTracks: readonly number[];
}

export function runOf(picture: Picture): Run {
  const { operations, firstTracks } = operationsOf(picture);
  return {
    picture,
    messages: new SpanIndex(messagesOf(picture)),
    operations: new SpanIndex(operations),
    arrivals: new SpanIndex(arrivalsOf(picture, operations)),
    commits: new SpanIndex(
      rowsOf(picture.commits).map((row) => ({ ...moment(row), ...row, sort: 'commit' as const })),
    ),
    notes: new SpanIndex(notesOf(picture)),
    stretches: new SpanIndex(picture.stretches),
    faults: new SpanIndex(picture.faults),
    firstTracks,
  };
}

/** What clients did that shows a violation, by beginning. */
export function evidenceOf(run: Run, { operations, watches }: BrokenPromise): Operation[] {
  return run.operations.items.filter(({ id, outcome }) =>
    (outcome === 'watch' ? watches : operations).includes(id),
  );
}

/** What was sent or noted last when a moment came. */
export function lastBefore({ messages, notes }: Run, atUs: number): Message | Note | undefined {
  const last = [messages.items, notes.items].map((items: readonly (Message | Note)[]) =>
    items.findLast(({ fromUs }) => fromUs <= atUs),
  );
  return last.toSorted((a, b) => (b?.fromUs ?? 0) - (a?.fromUs ?? 0))[0];
}

function messagesOf({ messages, texts }: Picture): Message[] {
  return rowsOf(messages).map(({ atUs, tookUs, from, to, type, text, fate, id }) => ({
    sort: 'message',
    fromUs: atUs,
    untilUs: atUs + tookUs,
    from,
    to,
    type: texts[type]!,
    group: groupOf(texts[type]!),
    text: texts[text]!,
    fate: FATES[fate]!,
    id,
  }));
}

function operationsOf({ operations, clients, texts }: Picture) {
  const untracked = rowsOf(operations).map((row) => ({
    sort: 'operation' as const,
    fromUs: row.atUs,
    untilUs: row.atUs + row.tookUs,
    id: row.id,
    client: row.client,
    member: row.member,
    outcome: OUTCOMES[row.outcome]!,
    text: texts[row.text]!,
  }));
  const { tracks, firstTracks } = tracksOf(untracked, clients.length);
  const tracked = untracked.map((operation, place) => ({ ...operation, track: tracks[place]! }));
  return { operations: tracked, firstTracks };
}

function arrivalsOf({ arrivals, texts }: Picture, operations: readonly Operation[]): Arrival[] {
  const watches = new Map<number, Operation>();
  for (const operation of operations) {
    if (operation.outcome === 'watch') watches.set(operation.id, operation);
  }
  return rowsOf(arrivals).flatMap((row) => {
    const watch = watches.get(row.watch);
    if (watch === undefined) return [];
    return [{ ...moment(row), sort: 'arrival', watch, text: texts[row.text]! }];
  });
}

function notesOf({ notes, texts }: Picture): Note[] {
  return rowsOf(notes).map((row) => ({
    ...moment(row),
    sort: 'note',
    member: row.member,
    kind: texts[row.kind]!,
    text: texts[row.text]!,
  }));
}

function moment({ atUs }: { readonly atUs: number }) {
  return { fromUs: atUs, untilUs: atUs };
}
