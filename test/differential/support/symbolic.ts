/**
 * Requests that do not depend on what came before: where a revision, a server's own lease id or a very
 * long value belongs there stands a reference, which is looked up when the request is sent. So any part
 * of a list of requests can be sent to new servers and means the same; and a list is plain JSON.
 */
import type { Plain } from './wire.js';

/** What the references of a run refer to, as its answers have told. */
export interface Landmarks {
  /** The revision before the run. */
  begin: number;
  /** The current revision. */
  now: number;
  /** The compact revision; 0 before the first compaction. */
  compacted: number;
  /** Revisions of the last compactions, oldest first; at most {@link REMEMBERED_COMPACTIONS}. */
  compactions: number[];
  /** Ids of the leases for which the server chose the id, in order. */
  picked: string[];
}

/** As many as leave their hash behind in etcd. */
export const REMEMBERED_COMPACTIONS = 10;

/** A revision: a landmark and a distance from it. */
export interface RevisionReference {
  $revision: 'begin' | 'now' | 'compacted';
  plus: number;
}

/** A lease whose id the server chose, by number; an id that nobody has when there are not so many. */
export interface PickedReference {
  $picked: number;
}

/** So many copies of a text. */
export interface FillReference {
  $fill: string;
  times: number;
}

/** In a list: so many copies of an item. */
export interface RepeatReference {
  $repeat: unknown;
  times: number;
}

const NOT_PICKED = '4242';

/** The request that `symbolic` stands for now. */
export function resolve(symbolic: Plain, landmarks: Landmarks): Plain {
  return resolveValue(symbolic, landmarks) as Plain;
}

function resolveValue(value: unknown, landmarks: Landmarks): unknown {
  if (Array.isArray(value)) return value.flatMap((item) => resolveItem(item, landmarks));
  if (typeof value !== 'object' || value === null) return value;
  if ('$revision' in value) return revisionOf(value as RevisionReference, landmarks);
  if ('$picked' in value) {
    return landmarks.picked[(value as PickedReference).$picked] ?? NOT_PICKED;
  }
  if ('$fill' in value) {
    const { $fill, times } = value as FillReference;
    return $fill.repeat(times);
  }
  const fields = Object.entries(value);
  return Object.fromEntries(fields.map(([name, field]) => [name, resolveValue(field, landmarks)]));
}

function resolveItem(item: unknown, landmarks: Landmarks): unknown[] {
  if (typeof item !== 'object' || item === null || !('$repeat' in item)) {
    return [resolveValue(item, landmarks)];
  }
  const { $repeat, times } = item as RepeatReference;
  return Array.from({ length: times }, () => resolveValue($repeat, landmarks));
}

function revisionOf({ $revision, plus }: RevisionReference, landmarks: Landmarks): number {
  return landmarks[$revision] + plus;
}
