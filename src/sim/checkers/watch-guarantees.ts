/**
 * What etcd promises to watchers, held against the true history.
 *
 * Verifies, for each watch and for each watcher over its reconnects:
 * - `watch-created`: a watch's first answer is its creation, there is one, and nothing follows its end.
 * - `watch-ordered`: events come in the order of revisions, and within one in the order of its changes.
 * - `watch-unique`: no event comes twice, over resumes too.
 * - `watch-reliable`: no event between two others is left out, nor at a resume.
 * - `watch-true`: every event happened as told, and matches the watch's range and filters.
 * - `watch-atomic`: a revision's events come in one answer (or in fragments that follow one another).
 * - `watch-prev-kv`: the pair before is right, there only when asked for, and missing only if there was
 *   none or it may have been compacted.
 * - `watch-bookmark`: after a progress at revision R nothing at or below R comes, here or after a resume.
 * - `watch-compacted`: a watch ends as compacted only if what it still needed may have been.
 * - `watch-complete`: when a settled revision is given, a watch that is still open has got all up to it.
 *
 * Does not verify how soon events come, nor progress answers that were asked for and did not come: etcd
 * owes none while a watch of the stream is behind.
 */
import { WatchFilter, type Event, type WatchCreateRequest } from '../../api/index.js';
import type { History, Instant, WatchArrival, WatchRecord } from '../history.js';
import { canonical } from './canonical.js';
import { keyRange } from './model.js';
import type { Timeline } from './timeline.js';
import type { TrueHistory } from './true-history.js';
import type { Violation } from './violation.js';

export interface WatchCheckOptions {
  /**
   * Every member had applied up to this revision, and watchers were given time, when the run ended.
   * Left out: it may have ended at any moment.
   */
  readonly settledRevision?: number;
}

export function checkWatchGuarantees(
  history: History,
  truth: TrueHistory,
  options: WatchCheckOptions = {},
): Violation[] {
  const violations: Violation[] = [];
  const positions = new Map<number, number>();
  for (const record of history.watches) {
    const check = new WatchCheck(record, history, truth.timeline, options);
    check.run(positions.get(record.watcherId));
    violations.push(...check.violations);
    if (check.position !== undefined) positions.set(record.watcherId, check.position);
  }
  return violations;
}

class WatchCheck {
  readonly violations: Violation[] = [];
  /** First revision that is still to come; undefined before the watch has one. */
  position: number | undefined;
  readonly #record: WatchRecord;
  readonly #history: History;
  readonly #timeline: Timeline;
  readonly #options: WatchCheckOptions;
  /** Index, in the position's revision, of the next event: above 0 only between fragments. */
  #within = 0;
  /** Which of that revision's events have come. */
  readonly #taken = new Set<Event>();
  /** Highest progress told. */
  #bookmark = 0;
  /** Where the watcher had come to before this record; 0 for a new one. */
  #resumedFrom = 0;
  #created = false;
  #over = false;
  #fragmentOf: number | undefined;

  constructor(
    record: WatchRecord,
    history: History,
    timeline: Timeline,
    options: WatchCheckOptions,
  ) {
    this.#record = record;
    this.#history = history;
    this.#timeline = timeline;
    this.#options = options;
  }

  /** `resumedFrom`: where the watcher's record before this one had come to. */
  run(resumedFrom: number | undefined): void {
    const start = Number(this.#record.request.startRevision);
    if (resumedFrom !== undefined) {
      this.#resumedFrom = resumedFrom;
      if (start > resumedFrom) this.#checkSkipped(resumedFrom, start);
      if (start < resumedFrom) {
        this.#report('watch-unique', `resumed at ${start}, having all before ${resumedFrom}`);
      }
    }
    for (const arrival of this.#record.arrivals) this.#arrive(arrival);
    this.#checkComplete();
    if (this.position === undefined && start > 0) this.position = start;
  }

  #arrive(arrival: WatchArrival): void {
    const { response } = arrival;
    if (this.#over) this.#report('watch-created', 'something came after its end');
    if (response.created !== !this.#created) {
      this.#report(
        'watch-created',
        response.created ? 'was created twice' : 'came before creation',
      );
    }
    if (response.created) this.#create(response.header!.revision);
    else if (response.events.length > 0) this.#take(arrival);
    else if (!response.canceled) this.#progress(response.header!.revision);
    if (response.canceled) this.#cancel(arrival);
  }

  #create(revision: number): void {
    this.#created = true;
    const start = Number(this.#record.request.startRevision);
    this.position = start > 0 ? start : revision + 1;
  }

  #take({ at, response }: WatchArrival): void {
    const { events, fragment } = response;
    const first = events[0]!.kv.modRevision;
    const last = events.at(-1)!.kv.modRevision;
    if (response.header!.revision < last) {
      this.#report('watch-true', `an answer at ${response.header!.revision} has events of ${last}`);
    }
    if (this.#fragmentOf !== undefined && this.#fragmentOf > first) {
      this.#report('watch-ordered', `a fragment of ${first} follows one of ${this.#fragmentOf}`);
    }
    for (const event of events) this.#takeEvent(event, at);
    this.#fragmentOf = fragment ? last : undefined;
    if (!fragment) this.#closeRevision();
  }

  /** Takes the next event that the history has for this watch, and explains any other. */
  #takeEvent(event: Event, at: Instant): void {
    const { modRevision, key } = event.kv;
    const position = this.position ?? 1;
    if (modRevision < position) {
      this.#reportOld(event, position);
      return;
    }
    if (modRevision > position) {
      this.#checkLeftOut(modRevision);
      this.position = modRevision;
      this.#within = 0;
      this.#taken.clear();
    }
    const wanted = this.#matching(modRevision);
    const found = wanted.findIndex((one, i) => i >= this.#within && sameChange(one, event));
    if (found < 0) return this.#reportUnfit(event, wanted);
    if (found > this.#within) {
      this.#report('watch-reliable', `missed events of ${modRevision} before that of ${key}`);
    }
    this.#taken.add(wanted[found]!);
    this.#within = found + 1;
    this.#checkPrevious(event, at);
  }

  /** An event of the right revision that is not to come now. */
  #reportUnfit(event: Event, wanted: readonly Event[]): void {
    const same = wanted.find((one) => sameChange(one, event));
    const promise =
      same === undefined ? 'watch-true' : this.#taken.has(same) ? 'watch-unique' : 'watch-ordered';
    this.#report(promise, `got ${canonical(event)} out of turn`);
  }

  #reportOld(event: Event, position: number): void {
    const { modRevision, key } = event.kv;
    this.#report(this.#promiseOf(event), `got ${key}@${modRevision} when ${position} was next`);
  }

  /** What an event below the position breaks. */
  #promiseOf(event: Event): string {
    const { modRevision } = event.kv;
    const start = Number(this.#record.request.startRevision);
    if (!this.#matching(modRevision).some((one) => sameChange(one, event))) return 'watch-true';
    if (this.#bookmark >= modRevision) return 'watch-bookmark';
    if (modRevision < start) return modRevision < this.#resumedFrom ? 'watch-unique' : 'watch-true';
    return this.#hasSeen(event) ? 'watch-unique' : 'watch-ordered';
  }

  /** Did this event come more than once by now? The present one counts. */
  #hasSeen(event: Event): boolean {
    let times = 0;
    for (const { response } of this.#record.arrivals) {
      for (const one of response.events) if (one === event || sameChange(one, event)) times++;
    }
    return times > 1;
  }

  /** Ends the position's revision: whatever of it has not come was not in one answer with the rest. */
  #closeRevision(): void {
    const position = this.position!;
    const rest = this.#matching(position).length - this.#within;
    if (this.#within > 0 && rest > 0) {
      this.#report('watch-atomic', `an answer ends in the middle of revision ${position}`);
    }
    if (this.#within > 0) this.position = position + 1;
    this.#within = 0;
  }

  /** Moves on to `revision`: nothing that matches may lie between. */
  #checkLeftOut(revision: number): void {
    const position = this.position ?? 1;
    const rest = this.#matching(position).length - this.#within;
    if (this.#within > 0 && rest > 0) {
      this.#report('watch-reliable', `went on to ${revision} in the middle of ${position}`);
    }
    this.#checkSkipped(this.#within > 0 ? position + 1 : position, revision);
  }

  #checkSkipped(from: number, to: number): void {
    const end = Math.min(to, this.#timeline.currentRevision + 1);
    for (let revision = from; revision < end; revision++) {
      if (this.#matching(revision).length === 0) continue;
      this.#report('watch-reliable', `missed revision ${revision}, going on at ${to}`);
      return;
    }
  }

  #progress(revision: number): void {
    const position = this.position ?? 1;
    const missing = this.#firstMatching(position, revision);
    if (missing !== undefined) {
      const explanation = `was told of progress to ${revision} before it got revision ${missing}`;
      this.#report('watch-bookmark', explanation);
    }
    this.#bookmark = Math.max(this.#bookmark, revision);
    this.position = Math.max(position, revision + 1);
  }

  #firstMatching(from: number, to: number): number | undefined {
    const end = Math.min(to, this.#timeline.currentRevision);
    for (let revision = from; revision <= end; revision++) {
      if (this.#matching(revision).length > 0) return revision;
    }
    return undefined;
  }

  #cancel({ at, response }: WatchArrival): void {
    this.#over = true;
    const { compactRevision } = response;
    if (compactRevision === 0) return;
    const position = this.position ?? 1;
    if (compactRevision <= position) {
      const explanation = `was compacted at ${compactRevision} but needs ${position} and later only`;
      this.#report('watch-compacted', explanation);
    }
    if (!this.#mayBeCompacted(compactRevision, at)) {
      this.#report('watch-compacted', `nobody had compacted at ${compactRevision}`);
    }
  }

  /** May a compaction at `revision` or above have been accepted by then? */
  #mayBeCompacted(revision: number, at: Instant): boolean {
    return this.#history.operations.some(
      (operation) =>
        operation.kind === 'compact' &&
        operation.outcome.kind !== 'refused' &&
        operation.request.revision >= revision &&
        operation.invoked.sequence < at.sequence,
    );
  }

  #checkPrevious(event: Event, at: Instant): void {
    const { key, modRevision } = event.kv;
    const before = this.#record.request.prevKv
      ? this.#timeline.pairAt(key, modRevision - 1)
      : undefined;
    if (canonical(event.prevKv) === canonical(before)) return;
    // Below the compaction the past is gone.
    if (event.prevKv === undefined && this.#mayBeCompacted(modRevision, at)) return;
    const told = `has ${canonical(event.prevKv)} before ${key}@${modRevision}`;
    this.#report('watch-prev-kv', `${told} instead of ${canonical(before)}`);
  }

  #checkComplete(): void {
    const { settledRevision } = this.#options;
    if (settledRevision === undefined || this.#record.ended !== undefined || !this.#created) return;
    const missing = this.#firstMatching(this.position ?? 1, settledRevision);
    if (missing === undefined) return;
    this.#report('watch-complete', `has not got revision ${missing} of ${settledRevision}`);
  }

  #matching(revision: number): Event[] {
    const { request } = this.#record;
    return this.#timeline.eventsOf(revision).filter((event) => isWanted(request, event));
  }

  #report(promise: string, text: string): void {
    const { id, watcherId, member } = this.#record;
    const explanation = `watch ${id} (watcher ${watcherId} at member ${member}) ${text}`;
    this.violations.push({ promise, explanation, watches: [id] });
  }
}

/** Does `event` lie in the range of the watch and pass its filters? An empty key is '\0'. */
export function isWanted(request: WatchCreateRequest, { type, kv }: Event): boolean {
  const { key, rangeEnd, filters } = request;
  const { from, to } = keyRange({ key: key === '' ? '\0' : key, rangeEnd });
  if (kv.key < from || kv.key >= to) return false;
  return !filters.includes(type === 'put' ? WatchFilter.noPut : WatchFilter.noDelete);
}

function sameChange(a: Event, b: Event): boolean {
  return a.type === b.type && canonical(a.kv) === canonical(b.kv);
}
