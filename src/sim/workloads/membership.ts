/**
 * Membership: learners are added and promoted, members removed and updated, leadership is handed over.
 * For one client: two that reconfigure at once mostly refuse each other.
 */
import type { Member } from '../../api/index.js';
import type { Chance } from '../chance.js';
import { drawPlan, walk } from './plan.js';
import { Session } from './session.js';
import type { Timed, Workload } from './workload-client.js';

export type MembershipStep = Timed & { readonly place: number } & MembershipAction;

/** `member`: one of those in question, counted modulo their number. */
export type MembershipAction =
  | { readonly op: 'addLearner'; readonly slot: number }
  | { readonly op: 'promote' }
  | { readonly op: 'remove'; readonly member: number }
  | { readonly op: 'update'; readonly member: number }
  | { readonly op: 'moveLeader'; readonly member: number }
  | { readonly op: 'list'; readonly linearizable: boolean };

export const membershipWorkload: Workload<MembershipStep> = {
  name: 'membership',
  plan: (random, options) =>
    drawPlan<MembershipStep>(random, options, (chance, { step }) => ({
      place: chance.integer(0, 9),
      ...drawAction(chance, step),
    })),
  run: (client, plan) => {
    const reconfiguring = new Reconfiguring(new Session(client));
    return walk(client, plan, (step) => reconfiguring.take(step));
  },
};

const WEIGHTS: readonly [MembershipAction['op'], number][] = [
  ['moveLeader', 25],
  ['promote', 20],
  ['addLearner', 15],
  ['remove', 15],
  ['list', 15],
  ['update', 5],
];

function drawAction(chance: Chance, step: number): MembershipAction {
  const op = chance.pick(
    WEIGHTS.flatMap(([name, weight]) => Array<typeof name>(weight).fill(name)),
  );
  const member = chance.integer(0, 9);
  switch (op) {
    case 'addLearner':
      return { op, slot: step };
    case 'promote':
      return { op };
    case 'list':
      return { op, linearizable: chance.happens(0.5) };
    default:
      return { op, member };
  }
}

/** A cluster is not made smaller than this. */
const FEWEST_VOTERS = 3;
/** Nor larger. */
const MOST_MEMBERS = 6;

class Reconfiguring {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async take(step: MembershipStep): Promise<void> {
    const { place } = step;
    const linearizable = step.op !== 'list' || step.linearizable;
    const listed = await this.#session.ask(place, 'memberList', { linearizable });
    if (listed === undefined) return;
    const { members } = listed;
    switch (step.op) {
      case 'addLearner':
        return this.#addLearner(place, step.slot, members);
      case 'promote':
        return this.#promote(place, members);
      case 'remove':
        return this.#remove(place, step.member, members);
      case 'update': {
        const { id, peerUrls } = pick(members, step.member);
        await this.#session.ask(place, 'memberUpdate', { id, peerUrls });
        return;
      }
      case 'moveLeader':
        return this.#moveLeader(place, step.member, members);
      case 'list':
    }
  }

  async #addLearner(place: number, slot: number, members: readonly Member[]): Promise<void> {
    if (members.length >= MOST_MEMBERS) return;
    const peerUrls = this.#session.client.peerUrlsFor(slot);
    await this.#session.ask(place, 'memberAdd', { peerUrls, isLearner: true });
  }

  async #promote(place: number, members: readonly Member[]): Promise<void> {
    const learner = members.find(({ isLearner }) => isLearner);
    if (learner === undefined) return;
    await this.#session.ask(place, 'memberPromote', { id: learner.id });
  }

  async #remove(place: number, which: number, members: readonly Member[]): Promise<void> {
    const victim = pick(members, which);
    const voters = members.filter(({ isLearner }) => !isLearner).length;
    if (!victim.isLearner && voters <= FEWEST_VOTERS) return;
    await this.#session.ask(place, 'memberRemove', { id: victim.id });
  }

  /** Only the leader hands over; a member that is asked knows who that is. */
  async #moveLeader(place: number, which: number, members: readonly Member[]): Promise<void> {
    const status = await this.#session.ask(place, 'status', {});
    if (status === undefined || status.leader === 0n) return;
    const targets = members.filter(({ id, isLearner }) => !isLearner && id !== status.leader);
    const leaderPlace = this.#placeOf(status.leader, members.length);
    if (targets.length === 0 || leaderPlace === undefined) return;
    await this.#session.ask(leaderPlace, 'moveLeader', { targetId: pick(targets, which).id });
  }

  #placeOf(id: bigint, members: number): number | undefined {
    for (let place = 0; place < members; place++) {
      if (this.#session.client.memberAt(place) === id) return place;
    }
    return undefined;
  }
}

function pick(members: readonly Member[], which: number): Member {
  return members[which % members.length]!;
}
