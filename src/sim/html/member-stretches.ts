/** In which state each member is when, from the trace. */
import type { Role } from '../../raft/index.js';
import type { TraceEvent } from '../trace.js';
import type { MemberState, Stretch } from './viewer/picture.js';

interface OpenStretch {
  readonly fromUs: number;
  readonly state: MemberState;
  readonly term: number;
}

export class MemberStretches {
  readonly #closed: Stretch[] = [];
  readonly #open = new Map<number, OpenStretch>();
  readonly #pausedUs = new Map<number, number>();

  /** A `role` event. */
  role({ atUs, details }: TraceEvent, member: number): void {
    const [role, , term] = details;
    this.#enter(member, { fromUs: atUs, state: role as Role, term: Number(term) });
  }

  /** A `node` event: it starts, ends, stands still or goes on. */
  node({ atUs, details }: TraceEvent, member: number): void {
    switch (String(details[0])) {
      case 'starts':
        return this.#enter(member, { fromUs: atUs, state: 'starting', term: 0 });
      case 'is paused':
        this.#pausedUs.set(member, atUs);
        return;
      case 'goes on':
        return this.#goesOn(member, atUs);
      case 'is killed':
      case 'loses power':
      case 'has stopped':
      case 'ends:':
        this.#goesOn(member, atUs);
        return this.#enter(member, { fromUs: atUs, state: 'down', term: 0 });
    }
  }

  /** All of them, in the order of their ends; what lasts ends with the run. */
  until(endUs: number): Stretch[] {
    const all = [...this.#closed];
    for (const [member, open] of this.#open) all.push({ ...open, member, untilUs: endUs });
    for (const [member, fromUs] of this.#pausedUs) all.push(pause(member, fromUs, endUs));
    return all;
  }

  #enter(member: number, next: OpenStretch): void {
    const open = this.#open.get(member);
    if (open !== undefined) this.#closed.push({ ...open, member, untilUs: next.fromUs });
    this.#open.set(member, next);
  }

  #goesOn(member: number, atUs: number): void {
    const fromUs = this.#pausedUs.get(member);
    if (fromUs === undefined) return;
    this.#pausedUs.delete(member);
    this.#closed.push(pause(member, fromUs, atUs));
  }
}

function pause(member: number, fromUs: number, untilUs: number): Stretch {
  return { member, fromUs, untilUs, state: 'paused', term: 0 };
}
