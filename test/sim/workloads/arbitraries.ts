/** The same steps as the workloads draw, as fast-check values: a failing plan shrinks to a small one. */
import fc from 'fast-check';
import {
  KV_KEYS,
  KV_PREFIX,
  LEASE_PREFIX,
  REGISTRY,
  WATCH_KEYS,
  WATCH_PREFIX,
  type KubernetesStep,
  type KvStep,
  type LeaseStep,
  type MembershipStep,
  type Plan,
  type Timed,
  type WatchStep,
} from '../../../src/sim/workloads/index.js';
import { prefixEnd } from '../../../src/sim/workloads/requests.js';

export interface PlanShape {
  readonly clients: number;
  readonly maxSteps: number;
  /** Longest pause before a step. */
  readonly maxPauseMs: number;
}

const place = fc.nat(9);

/** An operation by its name. */
function op<Name extends string>(name: Name) {
  return { op: fc.constant(name) };
}

const kvKey = fc.constantFrom(...KV_KEYS);
const kvRangeEnd = fc.constantFrom('', prefixEnd(KV_PREFIX), KV_KEYS[3]);
const twoKeys = fc.constantFrom(
  [KV_KEYS[0], KV_KEYS[1]] as const,
  [KV_KEYS[1], KV_KEYS[2]] as const,
  [KV_KEYS[0], KV_KEYS[5]] as const,
);

/** Values here are placeholders: {@link planOf} makes them unique. */
const kvAction = fc.oneof(
  fc.record({ ...op('put'), key: kvKey, value: fc.constant(''), prevKv: fc.boolean() }),
  fc.record({ ...op('delete'), key: kvKey, rangeEnd: kvRangeEnd, prevKv: fc.boolean() }),
  fc.record({
    ...op('read'),
    key: kvKey,
    rangeEnd: kvRangeEnd,
    serializable: fc.boolean(),
    back: fc.constantFrom(0, 0, 1, 5),
    limit: fc.constantFrom(0, 0, 2),
  }),
  fc.record({
    ...op('txn'),
    guard: fc.record({
      kind: fc.constant('version' as const),
      key: kvKey,
      version: fc.nat(2),
    }),
    keys: twoKeys,
    values: fc.constant(['', ''] as const),
  }),
  fc.record({ ...op('swap'), key: kvKey, value: fc.constant('') }),
  fc.record({ ...op('compact'), back: fc.nat(20) }),
  fc.record({ ...op('hash'), back: fc.nat(3), places: fc.constant(3) }),
);

const watcher = fc.nat(3);
const watchKey = fc.constantFrom(...WATCH_KEYS);
const watchRange = fc.constantFrom(
  { key: WATCH_KEYS[0], rangeEnd: '' },
  { key: WATCH_PREFIX, rangeEnd: prefixEnd(WATCH_PREFIX) },
);
const watchOpen = fc
  .record({
    range: watchRange,
    from: fc.oneof(fc.constantFrom('now' as const, 'first' as const), fc.nat(20)),
    filters: fc.constantFrom<readonly number[]>([], [0], [1]),
    prevKv: fc.boolean(),
    progressNotify: fc.boolean(),
    fragment: fc.boolean(),
    eager: fc.boolean(),
  })
  .map(({ range, ...fields }) => ({ op: 'open' as const, ...range, ...fields }));

const watchAction = fc.oneof(
  watchOpen,
  fc.record({ ...op('move'), watcher, places: fc.nat(2) }),
  fc.record({ ...op('progress'), watcher }),
  fc.record({ ...op('close'), watcher }),
  fc.record({ ...op('put'), key: watchKey, value: fc.constant('') }),
  fc.record({
    ...op('delete'),
    key: watchKey,
    rangeEnd: fc.constantFrom('', prefixEnd(WATCH_PREFIX)),
    thenCompact: fc.boolean(),
  }),
  fc.record({
    ...op('putAll'),
    keys: fc.constantFrom(WATCH_KEYS.slice(0, 2), WATCH_KEYS.slice()),
    value: fc.constant(''),
  }),
  fc.record({
    ...op('burst'),
    key: watchKey,
    value: fc.constant(''),
    puts: fc.integer({ min: 1, max: 12 }),
  }),
  fc.record({ ...op('compact'), back: fc.nat(10) }),
);

const lease = fc.nat(4);
const leaseAction = fc.oneof(
  fc.record({ ...op('grant'), id: fc.constant(0n), ttlSeconds: fc.integer({ min: 1, max: 8 }) }),
  fc.record({
    ...op('attach'),
    lease,
    key: fc.nat(7).map((n) => `${LEASE_PREFIX}${n}`),
    value: fc.constant(''),
  }),
  fc.record({ ...op('keepAlive'), lease, times: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ ...op('revoke'), lease }),
  fc.record({ ...op('timeToLive'), lease, keys: fc.boolean() }),
  fc.record(op('list')),
  fc.record({ ...op('read'), serializable: fc.boolean() }),
);

const member = fc.nat(9);
const membershipAction = fc.oneof(
  fc.record({ ...op('addLearner'), slot: fc.nat(5) }),
  fc.record(op('promote')),
  fc.record({ ...op('remove'), member }),
  fc.record({ ...op('update'), member }),
  fc.record({ ...op('moveLeader'), member }),
  fc.record({ ...op('list'), linearizable: fc.boolean() }),
);

const object = fc
  .record({ resource: fc.constantFrom('pods', 'configmaps', 'leases'), name: fc.nat(4) })
  .map(({ resource, name }) => `${REGISTRY}${resource}/default/${name}`);
const kubernetesAction = fc.oneof(
  fc.record(op('listAndWatch')),
  fc.record(op('progress')),
  fc.record({ ...op('create'), key: object, value: fc.constant('') }),
  fc.record({ ...op('update'), key: object, value: fc.constant('') }),
  fc.record({ ...op('delete'), key: object }),
  fc.record({ ...op('get'), key: object, serializable: fc.boolean() }),
  fc.record({
    ...op('list'),
    prefix: fc.constantFrom(`${REGISTRY}pods/`, `${REGISTRY}configmaps/`),
    limit: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({
    ...op('event'),
    key: fc.constant(`${REGISTRY}events/default/`),
    value: fc.constant(''),
    leaseId: fc.constant(0n),
  }),
  fc.record(op('compact')),
);

/** What must differ from step to step: values, ids, names of events. */
function individual<Action extends { op: string }>(action: Action, name: string, number: number) {
  const unique: Record<string, unknown> = {};
  if ('value' in action) unique.value = name;
  if ('values' in action) unique.values = [`${name}a`, `${name}b`];
  if ('id' in action) unique.id = BigInt(number + 1);
  if ('leaseId' in action) Object.assign(unique, { leaseId: BigInt(number + 1) + (1n << 40n) });
  if (action.op === 'event') unique.key = `${REGISTRY}events/default/${name}`;
  return { ...action, ...unique };
}

/** Plans of any of these actions. */
function planOf<Step extends Timed>(
  action: fc.Arbitrary<Omit<Step, 'afterMs' | 'place'> & { op: string }>,
  { clients, maxSteps, maxPauseMs }: PlanShape,
  /** Every client's first step, when it has any. */
  first?: Omit<Step, 'afterMs' | 'place'> & { op: string },
): fc.Arbitrary<Plan<Step>> {
  const step = fc.record({ action, place, afterMs: fc.nat(maxPauseMs) });
  const steps = fc.array(step, { maxLength: maxSteps, size: 'max' });
  return fc.array(steps, { minLength: clients, maxLength: clients }).map((all) => ({
    clients: all.map((own, client) => {
      const begin = first === undefined ? [] : [{ action: first, place: client, afterMs: 0 }];
      const numbered = [...begin, ...own].map((one, i) => ({
        ...individual(one.action, `${client}.${i}`, client * 100_000 + i),
        place: one.place,
        afterMs: one.afterMs,
      }));
      return { steps: numbered as unknown as Step[] };
    }),
  }));
}

export const kvPlan = (shape: PlanShape): fc.Arbitrary<Plan<KvStep>> => planOf(kvAction, shape);
export const watchPlan = (shape: PlanShape): fc.Arbitrary<Plan<WatchStep>> =>
  planOf(watchAction, shape);
export const leasePlan = (shape: PlanShape): fc.Arbitrary<Plan<LeaseStep>> =>
  planOf(leaseAction, shape);
export const membershipPlan = (shape: PlanShape): fc.Arbitrary<Plan<MembershipStep>> =>
  planOf(membershipAction, shape);
export const kubernetesPlan = (shape: PlanShape): fc.Arbitrary<Plan<KubernetesStep>> =>
  planOf(kubernetesAction, shape, { op: 'listAndWatch' });
