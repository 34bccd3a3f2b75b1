/** Progress answers: a revision up to which a client may believe that it has seen everything. */
import type { Check } from '../check.js';
import { Mismatch } from '../findings.js';
import { ODDITIES } from '../oddities.js';
import { revisionOf, type Known, type Probe } from '../probe.js';
import type { WatchProbe } from '../watch-probe.js';

const EVERY_WATCH = -1n;

/** Asks until an answer says that everything up to `revision` has been sent. */
async function progressTo(
  probe: Probe,
  watch: WatchProbe,
  revision: number,
  ...known: readonly Known[]
): Promise<void> {
  let got: number | undefined;
  for (let tries = 0; tries < 15; tries++) {
    watch.requestProgress();
    const answer = await watch.tryNext(200);
    if (answer === undefined) continue;
    got = revisionOf(answer);
    if (got >= revision) return;
  }
  probe.that('progress', false, `an answer with revision ${revision} or more`, got, ...known);
}

/** In 15 requests there was no answer at all. */
const NEVER: Known = { oddity: ODDITIES.noProgressForQuietWatch, got: undefined };

export const PROGRESS_CHECKS: readonly Check[] = [
  {
    name: 'progress/answer',
    promise: 'a progress request on a caught-up stream is answered: watch_id -1, no events',
    run: async (probe) => {
      const watch = await probe.watches();
      await watch.createFor('a');
      const revision = revisionOf(await probe.put('a'));
      await watch.events(1);
      watch.requestProgress();
      const { watchId, events, created, canceled, header } = await watch.next('the answer');
      probe.equal(
        'answer',
        { watchId, events, created, canceled },
        { watchId: EVERY_WATCH, events: [], created: false, canceled: false },
      );
      const got = header?.revision ?? 0;
      probe.that('header.revision', got >= revision, `${revision} or more`, got);
    },
  },
  {
    name: 'progress/quiet-watch',
    promise: 'a new watch that has never had an event answers progress requests, too',
    run: async (probe) => {
      const watch = await probe.watches();
      await watch.createFor('quiet');
      const revision = revisionOf(await probe.put('other'));
      await progressTo(probe, watch, revision, NEVER);
    },
  },
  {
    name: 'progress/quiet-watch-of-history',
    promise: 'a new quiet watch from a past revision answers progress requests, too',
    run: async (probe) => {
      const revision = revisionOf(await probe.put('other'));
      const watch = await probe.watches();
      await watch.createFor('quiet', { startRevision: revision });
      await progressTo(probe, watch, revision, NEVER);
    },
  },
  {
    name: 'progress/without-watch',
    promise: 'a stream without a watch does not answer progress requests',
    run: async (probe) => {
      const watch = await probe.watches();
      watch.requestProgress();
      const answer = await watch.tryNext(500);
      probe.equal('answer', answer, undefined, {
        oddity: ODDITIES.progressWithoutWatch,
        got: (got: { watchId?: bigint }) => got.watchId === EVERY_WATCH,
      });
    },
  },
  {
    name: 'progress/future-start',
    promise: 'a stream with a watch from a later revision does not answer progress requests',
    run: async (probe) => {
      const revision = revisionOf(await probe.put('a'));
      const watch = await probe.watches();
      await watch.createFor('a', { startRevision: revision + 1_000_000 });
      watch.requestProgress();
      const answer = await watch.tryNext(500);
      probe.equal('answer', answer, undefined, {
        oddity: ODDITIES.progressBeforeFutureStart,
        got: (got: { watchId?: bigint }) => got.watchId === EVERY_WATCH,
      });
    },
  },
  {
    name: 'progress/never-ahead',
    promise: 'no event comes after a progress answer that has promised its revision',
    timeoutMs: 20_000,
    run: async (probe) => {
      for (let round = 0; round < 10; round++) {
        probe.startOver();
        const start = revisionOf(await probe.put('a'));
        await Promise.all(Array.from({ length: 20 }, () => probe.put('a')));
        const watch = await probe.watches();
        watch.sendCreate({ key: probe.key('a'), startRevision: start });
        for (let i = 0; i < 20; i++) {
          watch.requestProgress();
          if (i % 4 === 0) await probe.put('a');
        }
        const last = revisionOf(await probe.put('a'));
        await checkPromises(probe, watch, last);
        watch.close();
      }
    },
  },
  {
    name: 'progress/while-writing',
    promise: 'progress answers keep coming, and rise, while keys are written that nobody watches',
    run: async (probe) => {
      const watch = await probe.watches();
      await watch.createFor('quiet');
      let last = 0;
      for (let i = 0; i < 10; i++) {
        const revision = revisionOf(await probe.put('other'));
        probe.that('revision', revision > last, `above ${last}`, revision);
        await progressTo(probe, watch, revision, NEVER);
        last = revision;
      }
    },
  },
  {
    name: 'progress/unasked',
    promise: 'nobody who has not asked gets a progress answer',
    run: async (probe) => {
      const watch = await probe.watches();
      await watch.createFor('quiet', { progressNotify: true });
      await probe.put('other');
      await watch.quiet('an answer nobody asked for', 1000);
    },
  },
];

/** Reads up to the event of revision `last`; progress must never have promised what comes later. */
async function checkPromises(probe: Probe, watch: WatchProbe, last: number): Promise<void> {
  let promised = 0;
  for (;;) {
    const answer = await watch.next(`the event of revision ${last}`);
    if (answer.watchId === EVERY_WATCH) {
      promised = Math.max(promised, revisionOf(answer));
      continue;
    }
    for (const { kv } of answer.events) {
      if (kv.modRevision <= promised) await brokenPromise(probe, promised, kv.modRevision);
      if (kv.modRevision >= last) return;
    }
  }
}

/** It is etcd's old fault where a stream without any watch is answered as well. */
async function brokenPromise(probe: Probe, promised: number, got: number): Promise<never> {
  const watch = await probe.watches();
  watch.requestProgress();
  const unconditional = (await watch.tryNext(500)) !== undefined;
  const what = 'revision of an event after a progress answer';
  const expected = `above ${promised}, which was promised`;
  const known = { oddity: ODDITIES.progressWithoutWatch, got: () => unconditional };
  return probe.mismatch(new Mismatch(what, expected, String(got)), got, [known]);
}
