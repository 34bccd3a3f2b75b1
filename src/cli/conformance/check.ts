/** What a check is, and what can come of it. */
import type { Oddity } from './oddities.js';
import type { Probe } from './probe.js';

/** The areas of the contract, in the order in which they are checked and printed. */
export const CATEGORIES = [
  'put',
  'range',
  'delete',
  'txn',
  'watch',
  'progress',
  'lease',
  'limits',
  'protocol',
  'maintenance',
  'clients',
  'members',
  'compaction',
] as const;

export type Category = (typeof CATEGORIES)[number];

export interface Check {
  /** Stable and unique, such as `txn/nested-header-revision`: the area, then what it is about. */
  name: `${Category}/${string}`;
  /** What a server promises, in one sentence without a full stop. */
  promise: string;
  /** It mostly waits: it may run beside others. */
  waits?: boolean;
  /** It watches the revision of the whole store: nothing else of this run may write meanwhile. */
  alone?: boolean;
  /** It needs as many servers of one cluster; absent is one. */
  endpoints?: number;
  /** It asks the server to forget old revisions, which all its users notice. */
  compacts?: boolean;
  /** How long it may take, in milliseconds; absent is what the run allows. */
  timeoutMs?: number;
  /** Talks to the server and throws what it finds: Mismatch, KnownOddity or NotApplicable. */
  run(probe: Probe): Promise<void>;
}

/** Where a server did something else than it should: all that is needed to see it again. */
export interface Failure {
  /** What was looked at. */
  what: string;
  /** The requests, in order. */
  requests: string[];
  expected: string;
  got: string;
}

export type Verdict =
  | { result: 'pass' }
  | { result: 'fail'; failure: Failure }
  | { result: 'oddity'; oddity: Oddity; failure: Failure }
  | { result: 'skipped'; reason: string };

export function categoryOf(check: Pick<Check, 'name'>): Category {
  return check.name.slice(0, check.name.indexOf('/')) as Category;
}
