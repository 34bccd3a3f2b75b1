/** What two servers told the watches of a stream, made comparable. */
import { isDeepStrictEqual } from 'node:util';
import { isBefore } from './etcd.js';
import { idOf } from './watch-side.js';
import type { Plain } from './wire.js';

/** What the streams of one server were answered, and where its history was compacted. */
export interface Answered {
  readonly tapes: readonly { readonly messages: readonly Plain[] }[];
  readonly compactions: ReadonlySet<string>;
}

/** The fields of the answers to one watch, in order. */
type Sequence = Plain[];

export interface WatchDifference {
  stream: number;
  watchId: string;
  etcd: Sequence;
  kvorum: Sequence;
}

/** The first watch whose answers differ. `version` is etcd's. */
export function compareTapes(
  etcd: Answered,
  kvorum: Answered,
  version: string,
): WatchDifference | undefined {
  for (const [stream, tape] of etcd.tapes.entries()) {
    const a = sequences(tape, etcd.compactions, version);
    const b = sequences(kvorum.tapes[stream]!, etcd.compactions, version);
    for (const watchId of new Set([...a.keys(), ...b.keys()])) {
      const [one, other] = [a.get(watchId) ?? [], b.get(watchId) ?? []];
      if (!isDeepStrictEqual(one, other)) return { stream, watchId, etcd: one, kvorum: other };
    }
  }
  return undefined;
}

function sequences(
  { messages }: Answered['tapes'][number],
  compactions: ReadonlySet<string>,
  version: string,
): Map<string, Sequence> {
  const found = new Map<string, Sequence>();
  for (const message of messages) {
    const known = knownToBoth(withoutTerm(message), compactions, version);
    if (known === undefined) continue;
    const sequence = found.get(idOf(known)) ?? [];
    found.set(idOf(known), sequence);
    if (goOn(sequence.at(-1), known)) sequence.push(joined(sequence.pop()!, known));
    else sequence.push(known);
  }
  return found;
}

/**
 * How history is divided into responses is left open (etcd: up to 1,000 revisions; here also half a MiB), and
 * so is where a fragment ends: what has one header is one. Live events have the header of their revision.
 */
function goOn(before: Plain | undefined, message: Plain): boolean {
  if (before?.events === undefined || message.events === undefined) return false;
  return isDeepStrictEqual(before.header, message.header);
}

function joined(first: Plain, rest: Plain): Plain {
  const events = [...(first.events as Plain[]), ...(rest.events as Plain[])];
  const whole: Plain = { ...first, events };
  if (rest.fragment !== true) delete whole.fragment;
  return whole;
}

function withoutTerm(message: Plain): Plain {
  const header: Plain = { ...(message.header as Plain | undefined) };
  delete header.raft_term;
  return { ...message, header };
}

/**
 * Leaves out what is known to be otherwise in old versions of etcd: before 3.4.25 a progress request is
 * answered whether or not the watches have caught up; before 3.4.34 a compaction took the tombstone that
 * stands exactly at its revision.
 */
function knownToBoth(
  message: Plain,
  compactions: ReadonlySet<string>,
  version: string,
): Plain | undefined {
  const events = message.events as Plain[] | undefined;
  const isProgress = events === undefined && message.created === undefined && !message.canceled;
  if (isProgress && isBefore(version, '3.4.25')) return undefined;
  if (events === undefined || !isBefore(version, '3.4.34')) return message;
  const left = events.filter(
    ({ type, kv }) => type !== 1 || !compactions.has(String((kv as Plain).mod_revision)),
  );
  return left.length === 0 ? undefined : { ...message, events: left };
}
