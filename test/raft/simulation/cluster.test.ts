import { test } from 'node:test';
import fc from 'fast-check';
import { anySchedule, play } from './schedule.js';

const RUNS = Number(process.env['RAFT_RUNS'] ?? 150);

test('a cluster keeps the five promises of the paper (figure 3), linearizable reads, and recovers', () => {
  fc.assert(
    fc.property(anySchedule, (schedule) => {
      play(schedule);
    }),
    { numRuns: RUNS, includeErrorInReport: true },
  );
});
