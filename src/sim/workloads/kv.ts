/**
 * Random traffic on a few keys, so that clients meet: puts, deletions of keys and ranges, reads now and
 * at old revisions, transactions over several keys, compare-and-swap, compaction, hashes.
 */
import type { Compare, RequestOp } from '../../api/index.js';
import type { Chance } from '../chance.js';
import { drawPlan, walk, type Position } from './plan.js';
import {
  deleteRequest,
  modRevisionIs,
  prefixEnd,
  putRequest,
  rangeRequest,
  txnRequest,
  valueIs,
  versionIs,
} from './requests.js';
import { Session } from './session.js';
import type { Timed, Workload } from './workload-client.js';

/** All keys begin with this. */
export const KV_PREFIX = 'kv/';
export const KV_KEYS = ['kv/0', 'kv/1', 'kv/2', 'kv/3', 'kv/4', 'kv/5'] as const;

/** What one client does next. Values are unique, so that a read tells which write it saw. */
export type KvStep = Timed & { readonly place: number } & KvAction;

export type KvAction =
  | { readonly op: 'put'; readonly key: string; readonly value: string; readonly prevKv: boolean }
  | {
      readonly op: 'delete';
      readonly key: string;
      readonly rangeEnd: string;
      readonly prevKv: boolean;
    }
  /** `back`: how many revisions before the last seen; 0 reads the present. */
  | {
      readonly op: 'read';
      readonly key: string;
      readonly rangeEnd: string;
      readonly serializable: boolean;
      readonly back: number;
      readonly limit: number;
    }
  /** Puts both values if the guard holds, else reads the range of all keys. */
  | {
      readonly op: 'txn';
      readonly guard: KvGuard;
      readonly keys: readonly [string, string];
      readonly values: readonly [string, string];
    }
  /** Reads the key, then writes it if nobody else has meanwhile. */
  | { readonly op: 'swap'; readonly key: string; readonly value: string }
  /** Compacts, then reads at the edge: the compact revision is there, the one before it is not. */
  | { readonly op: 'compact'; readonly back: number }
  /** Asks `places` members for the hash at one revision. */
  | { readonly op: 'hash'; readonly back: number; readonly places: number };

export type KvGuard =
  | { readonly kind: 'version'; readonly key: string; readonly version: number }
  | { readonly kind: 'value'; readonly key: string; readonly value: string };

export const kvWorkload: Workload<KvStep> = {
  name: 'kv',
  plan: (random, options) =>
    drawPlan<KvStep>(random, options, (chance, position) => ({
      place: chance.integer(0, 9),
      ...drawAction(chance, position),
    })),
  run: (client, plan) => {
    const session = new Session(client);
    return walk(client, plan, (step) => takeKvStep(session, step));
  },
};

/** How often each is drawn, in parts of the sum. */
const WEIGHTS: readonly [KvAction['op'], number][] = [
  ['put', 30],
  ['read', 25],
  ['swap', 12],
  ['txn', 12],
  ['delete', 8],
  ['hash', 2],
  ['compact', 2],
];

function drawAction(chance: Chance, position: Position): KvAction {
  const op = chance.pick(
    WEIGHTS.flatMap(([name, weight]) => Array<typeof name>(weight).fill(name)),
  );
  const key = chance.pick(KV_KEYS);
  const value = `kv${position.client}.${position.step}`;
  switch (op) {
    case 'put':
      return { op, key, value, prevKv: chance.happens(0.3) };
    case 'delete':
      return { op, key, rangeEnd: drawRangeEnd(chance, key), prevKv: chance.happens(0.3) };
    case 'read':
      return {
        op,
        key,
        rangeEnd: drawRangeEnd(chance, key),
        serializable: chance.happens(0.3),
        back: chance.happens(0.2) ? chance.integer(1, 10) : 0,
        limit: chance.happens(0.1) ? 2 : 0,
      };
    case 'txn':
      return { op, guard: drawGuard(chance, position), ...drawPair(chance, value) };
    case 'swap':
      return { op, key, value };
    case 'compact':
      return { op, back: chance.integer(0, 20) };
    case 'hash':
      return { op, back: chance.integer(0, 3), places: 3 };
  }
}

/** One key, or all from there on, or up to some other key. */
function drawRangeEnd(chance: Chance, key: string): string {
  if (chance.happens(0.6)) return '';
  return chance.happens(0.5) ? prefixEnd(KV_PREFIX) : prefixEnd(key);
}

function drawGuard(chance: Chance, { client, step }: Position): KvGuard {
  const key = chance.pick(KV_KEYS);
  if (chance.happens(0.6)) return { kind: 'version', key, version: chance.integer(0, 2) };
  return { kind: 'value', key, value: `kv${client}.${chance.integer(0, step)}` };
}

function drawPair(chance: Chance, value: string) {
  const at = chance.integer(0, KV_KEYS.length - 1);
  const other = (at + chance.integer(1, KV_KEYS.length - 1)) % KV_KEYS.length;
  const keys = [KV_KEYS[at]!, KV_KEYS[other]!] as const;
  return { keys, values: [`${value}a`, `${value}b`] as const };
}

/** Does one step; what the cluster refuses or does not answer is no error. */
export async function takeKvStep(session: Session, step: KvStep): Promise<void> {
  const { place } = step;
  switch (step.op) {
    case 'put':
      await session.ask(place, 'put', putRequest(step.key, step.value, { prevKv: step.prevKv }));
      return;
    case 'delete': {
      const { key, rangeEnd, prevKv } = step;
      await session.ask(place, 'deleteRange', deleteRequest(key, { rangeEnd, prevKv }));
      return;
    }
    case 'read': {
      const { key, rangeEnd, serializable, limit } = step;
      const revision = step.back === 0 ? 0 : session.revisionBefore(step.back);
      const request = rangeRequest(key, { rangeEnd, serializable, revision, limit });
      await session.ask(place, 'range', request);
      return;
    }
    case 'txn':
      await session.ask(place, 'txn', txnOf(step));
      return;
    case 'swap':
      return swap(session, step);
    case 'compact':
      return compact(session, step);
    case 'hash':
      return hash(session, step);
  }
}

function txnOf({ guard, keys, values }: Extract<KvAction, { op: 'txn' }>) {
  const success = keys.map((key, i): RequestOp => {
    return { kind: 'put', request: putRequest(key, values[i]!) };
  });
  const everything = rangeRequest(KV_PREFIX, { rangeEnd: prefixEnd(KV_PREFIX) });
  const failure: RequestOp[] = [{ kind: 'range', request: everything }];
  return txnRequest({ compare: [compareOf(guard)], success, failure });
}

function compareOf(guard: KvGuard): Compare {
  return guard.kind === 'version'
    ? versionIs(guard.key, guard.version)
    : valueIs(guard.key, guard.value);
}

async function swap(
  session: Session,
  { place, key, value }: KvStep & { op: 'swap' },
): Promise<void> {
  const read = await session.ask(place, 'range', rangeRequest(key));
  if (read === undefined) return;
  const compare = [modRevisionIs(key, read.kvs[0]?.modRevision ?? 0)];
  const success: RequestOp[] = [{ kind: 'put', request: putRequest(key, value) }];
  const failure: RequestOp[] = [{ kind: 'range', request: rangeRequest(key) }];
  await session.ask(place, 'txn', txnRequest({ compare, success, failure }));
}

async function compact(
  session: Session,
  { place, back }: KvStep & { op: 'compact' },
): Promise<void> {
  const edge = session.revisionBefore(back);
  await session.ask(place, 'compact', { revision: edge, physical: back % 2 === 0 });
  for (const revision of [edge, edge - 1]) {
    if (revision < 1) continue;
    const request = rangeRequest(KV_PREFIX, { rangeEnd: prefixEnd(KV_PREFIX), revision });
    await session.ask(place + 1, 'range', request);
  }
}

async function hash(
  session: Session,
  { place, back, places }: KvStep & { op: 'hash' },
): Promise<void> {
  const revision = session.revisionBefore(back);
  for (let i = 0; i < places; i++) await session.ask(place + i, 'hashKv', { revision });
}
