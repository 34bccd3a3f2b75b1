/** A slice of the run under fire, and proof that its judgement bites. `npm run test:long` runs minutes of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from '../../src/sim/judgement.js';
import { seed } from '../e2e/support/random.js';
import { FireRun } from './fire-run.js';
import { plantLostWrite, plantStaleRead } from './plant.js';
import { fireCommand, resultLines } from './report.js';
import { saveRun } from './save-run.js';

const SECONDS = 8;

test(
  `three processes under fire for ${SECONDS} s (seed ${seed})`,
  { timeout: 300_000 },
  async (t) => {
    const result = await new FireRun({ seed, durationMs: SECONDS * 1000 }).run();
    for (const line of resultLines(result)) t.diagnostic(line);
    if (result.violations.length > 0) {
      const folder = saveRun(seed, result);
      assert.fail(
        `${resultLines(result).join('\n')}\nhistory, faults and logs: ${folder}\n` +
          `again, for longer: ${fireCommand(seed, 1)}`,
      );
    }
    const run = result.run!;
    assert.ok(result.acknowledged > 0 && result.faults.size > 0, 'hardly anything happened');

    const promisesOf = (planted: typeof run) =>
      judge(planted).violations.map(({ promise }) => promise);
    await t.test('a lost acknowledged write would have been seen', () => {
      assert.ok(promisesOf(plantLostWrite(run)).includes('write-answer'));
    });
    await t.test('a stale linearizable read would have been seen', () => {
      const promises = promisesOf(plantStaleRead(run));
      assert.ok(promises.includes('real-time-order'), promises.join());
    });
  },
);
