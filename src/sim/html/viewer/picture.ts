/**
 * What the page draws, as it stands in the page: plain JSON, in columns where there are thousands of one
 * sort. Times are virtual microseconds; members and clients are places in their lists.
 */

/**
 * Rows of numbers, column by column, in the order of `atUs`. `atUs` holds differences to the row before.
 */
export type Columns<Row> = { readonly [Name in keyof Row]: readonly number[] };

export interface Picture {
  readonly about: About;
  /** Members by host, in order of appearance. */
  readonly members: readonly string[];
  readonly clients: readonly string[];
  /** Rows refer to these by place. */
  readonly texts: readonly string[];
  readonly endUs: number;
  readonly messages: Columns<MessageRow>;
  readonly commits: Columns<CommitRow>;
  readonly notes: Columns<NoteRow>;
  readonly operations: Columns<OperationRow>;
  readonly arrivals: Columns<ArrivalRow>;
  readonly stretches: readonly Stretch[];
  readonly faults: readonly FaultBand[];
  readonly violations: readonly BrokenPromise[];
}

/** What stands above the picture. */
export interface About {
  readonly title: string;
  /** Runs it again. */
  readonly command: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Messages that were left out far from everything of interest, by type. */
  readonly omitted: readonly (readonly [type: string, count: number])[];
}

export const FATES = ['received', 'lost', 'repeated', 'underWay'] as const;
export type Fate = (typeof FATES)[number];

export interface MessageRow {
  readonly atUs: number;
  /** Until it was received or lost; 0 when it was neither. */
  readonly tookUs: number;
  readonly from: number;
  readonly to: number;
  /** Text: the type of the message. */
  readonly type: number;
  /** Text: the rest of it. */
  readonly text: number;
  /** Place in {@link FATES}. */
  readonly fate: number;
  /** Its number in the trace. */
  readonly id: number;
}

export interface CommitRow {
  readonly atUs: number;
  readonly member: number;
  readonly index: number;
}

/** A line of the trace that is nothing else here. */
export interface NoteRow {
  readonly atUs: number;
  /** -1: nobody's. */
  readonly member: number;
  /** Text: the kind of line. */
  readonly kind: number;
  readonly text: number;
}

export const OUTCOMES = ['ok', 'refused', 'unknown', 'watch'] as const;
export type OperationOutcome = (typeof OUTCOMES)[number];

/** A client's operation or watch. */
export interface OperationRow {
  readonly atUs: number;
  readonly tookUs: number;
  /** Its number among the operations, or among the watches. */
  readonly id: number;
  readonly client: number;
  /** -1: not known. */
  readonly member: number;
  /** Place in {@link OUTCOMES}. */
  readonly outcome: number;
  readonly text: number;
}

/** A response of a watch. */
export interface ArrivalRow {
  readonly atUs: number;
  readonly watch: number;
  readonly text: number;
}

export type MemberState =
  'down' | 'starting' | 'follower' | 'preCandidate' | 'candidate' | 'leader' | 'paused';

/** A member is in a state. Pauses lie over the other states. */
export interface Stretch {
  readonly member: number;
  readonly fromUs: number;
  readonly untilUs: number;
  readonly state: MemberState;
  /** 0: not known. */
  readonly term: number;
}

export interface FaultBand {
  readonly fromUs: number;
  /** Equal to `fromUs` when it is a moment. */
  readonly untilUs: number;
  readonly kind: string;
  readonly label: string;
  /** Whom it meets; empty: everybody alike. */
  readonly members: readonly number[];
  /** Of a partition: the group of each member, by place; -1: not there yet. */
  readonly groups?: readonly number[];
}

export interface BrokenPromise {
  readonly promise: string;
  readonly explanation: string;
  /** What shows it lies within. */
  readonly fromUs: number;
  readonly untilUs: number;
  /** Ids. */
  readonly operations: readonly number[];
  readonly watches: readonly number[];
}

/** The rows of columns, with true times. */
export function rowsOf<Row extends { readonly atUs: number }>(columns: Columns<Row>): Row[] {
  const names = Object.keys(columns) as (keyof Row & string)[];
  let atUs = 0;
  return columns.atUs.map((stepUs, place) => {
    atUs += stepUs;
    const row = Object.fromEntries(names.map((name) => [name, columns[name][place]!]));
    return { ...row, atUs } as Row;
  });
}
