/**
 * What the members tell of the keyspace's past: a watch of everything at each member, straight to its
 * process, taken up again whenever it breaks. What one member tells all others must tell, too.
 */
import type { Event, WatchResponse } from '../../src/api/index.js';
import { canonical } from '../../src/sim/checkers/canonical.js';
import { historyOfEvents, type TrueHistory } from '../../src/sim/checkers/true-history.js';
import type { Violation } from '../../src/sim/checkers/violation.js';
import { watchRequest } from '../../src/sim/workloads/requests.js';
import { Watcher } from '../../src/sim/workloads/watcher.js';
import type { WorkloadClient } from '../../src/sim/workloads/workload-client.js';

interface Told {
  readonly events: readonly Event[];
  readonly text: string;
  readonly by: bigint;
  readonly atMs: number;
}

const RETRY_MS = 50;

export class Chronicle {
  readonly violations: Violation[] = [];
  readonly #nowMs: () => number;
  readonly #told = new Map<number, Told>();
  readonly #waiting = new Set<() => void>();
  readonly #watchers: Watcher[] = [];
  #revision = 1;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Every revision up to this one is known. */
  get revision(): number {
    return this.#revision;
  }

  /** When the first member told of `revision`. */
  seenAtMs(revision: number): number | undefined {
    return this.#told.get(revision)?.atMs;
  }

  /** All that is known, without a hole. */
  get truth(): TrueHistory {
    const revisions = Array.from({ length: this.#revision - 1 }, (_, i) => i + 2);
    return historyOfEvents(revisions.flatMap((revision) => this.#told.get(revision)!.events));
  }

  /** Begins to listen to the one member that `client` asks. `nextId`: ids of watchers. */
  listen(client: WorkloadClient, nextId: () => number): void {
    const member = client.memberAt(0);
    const request = watchRequest('\0', { rangeEnd: '\0', startRevision: 1 });
    const onResponse = (response: WatchResponse) => this.#take(response, member);
    this.#watchers.push(
      new Watcher(client, { request, nextId, place: 0, retryMs: RETRY_MS, onResponse }),
    );
  }

  /** Resolves once {@link Chronicle.revision} has reached `revision`, or `signal` is aborted. */
  async reaches(revision: number, signal: AbortSignal): Promise<void> {
    while (this.#revision < revision && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.#waiting.add(wake);
        signal.addEventListener('abort', wake);
      });
    }
  }

  #take({ events }: WatchResponse, by: bigint): void {
    for (let at = 0; at < events.length;) {
      const revision = events[at]!.kv.modRevision;
      let end = at;
      while (events[end]?.kv.modRevision === revision) end++;
      this.#note(revision, events.slice(at, end), by);
      at = end;
    }
    while (this.#told.has(this.#revision + 1)) this.#revision++;
    for (const wake of this.#waiting) wake();
  }

  #note(revision: number, events: readonly Event[], by: bigint): void {
    const text = canonical(events);
    const known = this.#told.get(revision);
    if (known === undefined) {
      this.#told.set(revision, { events, text, by, atMs: this.#nowMs() });
    } else if (known.text !== text) {
      const explanation =
        `at revision ${revision} member ${by.toString(16)} tells ${text}, ` +
        `member ${known.by.toString(16)} told ${known.text}`;
      this.violations.push({ promise: 'one-history', explanation });
    }
  }
}
