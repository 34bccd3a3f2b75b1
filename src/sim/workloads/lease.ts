/**
 * Leases: granted, kept alive at a client's pace or left to run out, revoked, asked about, with keys put
 * under them that go with them.
 */
import type { Chance } from '../chance.js';
import { drawPlan, walk, type Position } from './plan.js';
import { prefixEnd, putRequest, rangeRequest } from './requests.js';
import { Session } from './session.js';
import type { Timed, Workload } from './workload-client.js';

export const LEASE_PREFIX = 'lease/';

export type LeaseStep = Timed & { readonly place: number } & LeaseAction;

/** `lease`: one of those that this client was granted, counted back from the newest, modulo them all. */
export type LeaseAction =
  /** An id is granted once only in a plan, so that what is said of it is said of one lease. */
  | { readonly op: 'grant'; readonly id: bigint; readonly ttlSeconds: number }
  | { readonly op: 'attach'; readonly lease: number; readonly key: string; readonly value: string }
  /** Renews so many times, at a third of the TTL. */
  | { readonly op: 'keepAlive'; readonly lease: number; readonly times: number }
  | { readonly op: 'revoke'; readonly lease: number }
  | { readonly op: 'timeToLive'; readonly lease: number; readonly keys: boolean }
  | { readonly op: 'list' }
  /** Reads all keys under leases: which have gone? */
  | { readonly op: 'read'; readonly serializable: boolean };

export const leaseWorkload: Workload<LeaseStep> = {
  name: 'lease',
  plan: (random, options) =>
    drawPlan<LeaseStep>(random, options, (chance, position) => ({
      place: chance.integer(0, 9),
      ...drawAction(chance, position),
    })),
  run: (client, plan) => {
    const holding = new Holding(new Session(client));
    return walk(client, plan, (step) => holding.take(step));
  },
};

const WEIGHTS: readonly [LeaseAction['op'], number][] = [
  ['keepAlive', 30],
  ['attach', 25],
  ['grant', 12],
  ['timeToLive', 10],
  ['read', 8],
  ['revoke', 6],
  ['list', 3],
];

function drawAction(chance: Chance, position: Position): LeaseAction {
  const weighted = WEIGHTS.flatMap(([name, weight]) => Array<typeof name>(weight).fill(name));
  const op = position.step === 0 ? 'grant' : chance.pick(weighted);
  const lease = chance.mostlyLow(0, 4);
  switch (op) {
    case 'grant':
      return { op, id: leaseId(position), ttlSeconds: chance.integer(1, 8) };
    case 'attach': {
      const key = `${LEASE_PREFIX}${chance.integer(0, 7)}`;
      return { op, lease, key, value: `lease${position.client}.${position.step}` };
    }
    case 'keepAlive':
      return { op, lease, times: chance.mostlyLow(1, 5) };
    case 'revoke':
      return { op, lease };
    case 'timeToLive':
      return { op, lease, keys: chance.happens(0.5) };
    case 'list':
      return { op };
    case 'read':
      return { op, serializable: chance.happens(0.5) };
  }
}

/** Counted from 1: 0n would let the server choose. */
function leaseId({ client, step }: Position): bigint {
  return BigInt(client + 1) * 100_000n + BigInt(step + 1);
}

class Holding {
  readonly #session: Session;
  /** Oldest first. A grant that was not answered is not held. */
  readonly #leases: { readonly id: bigint; readonly ttlSeconds: number }[] = [];

  constructor(session: Session) {
    this.#session = session;
  }

  async take(step: LeaseStep): Promise<void> {
    const { place } = step;
    const session = this.#session;
    switch (step.op) {
      case 'grant':
        return this.#grant(step);
      case 'list':
        await session.ask(place, 'leaseLeases', {});
        return;
      case 'read': {
        const rangeEnd = prefixEnd(LEASE_PREFIX);
        const { serializable } = step;
        await session.ask(place, 'range', rangeRequest(LEASE_PREFIX, { rangeEnd, serializable }));
        return;
      }
      default: {
        const lease = this.#leases.at(-1 - (step.lease % this.#leases.length));
        if (lease !== undefined) await this.#use(lease, step);
      }
    }
  }

  async #grant({ place, id, ttlSeconds }: LeaseStep & { op: 'grant' }): Promise<void> {
    const granted = await this.#session.ask(place, 'leaseGrant', { id, ttl: ttlSeconds });
    if (granted !== undefined) this.#leases.push({ id, ttlSeconds: granted.ttl });
  }

  async #use(
    { id, ttlSeconds }: { id: bigint; ttlSeconds: number },
    step: Extract<LeaseAction, { lease: number }> & { place: number },
  ): Promise<void> {
    const { place } = step;
    const session = this.#session;
    switch (step.op) {
      case 'attach':
        await session.ask(place, 'put', putRequest(step.key, step.value, { lease: id }));
        return;
      case 'keepAlive':
        return this.#keepAlive(place, id, ttlSeconds, step.times);
      case 'revoke':
        await session.ask(place, 'leaseRevoke', { id });
        return;
      case 'timeToLive':
        await session.ask(place, 'leaseTimeToLive', { id, keys: step.keys });
    }
  }

  async #keepAlive(place: number, id: bigint, ttlSeconds: number, times: number): Promise<void> {
    for (let i = 0; i < times && !this.#session.client.stopping; i++) {
      if (i > 0) await this.#session.client.sleep((ttlSeconds * 1000) / 3);
      // Another member each time: all of them must know whom to ask.
      await this.#session.ask(place + i, 'leaseKeepAlive', { id });
    }
  }
}
