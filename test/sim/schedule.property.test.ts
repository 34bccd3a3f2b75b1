/** The fault schedule and the operations are one generated value, so that a failure shrinks. */
import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import process from 'node:process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as simulator from '../../src/sim/index.js';
import { mutantNamed } from './mutants/catalogue.js';
import { plant } from './mutants/plant.js';
import { brokenSchedule } from './schedule-property.js';

const SEED = 1;

describe('any schedule of faults and operations', () => {
  it(`keeps every promise (fast-check seed ${SEED})`, async () => {
    const options = { seed: SEED, runs: 6, shrinks: 60, durationMs: 4000 };
    const message = await brokenSchedule(simulator, options);
    assert.equal(message, undefined, message);
  });
});

describe('a schedule that fails', () => {
  const mutant = mutantNamed('transfer-leaves-two-leaders');

  it(`shrinks, and replays with one command (mutant ${mutant.name}, seed ${SEED})`, () => {
    const planted = plant(mutant.edits);
    const sound = plant([]);
    try {
      const message = failedProperty(planted.folder);
      const found = /^violation ([^:]+): (.*)$/m.exec(message)!;
      assert.ok(found, message);
      const [faults, steps] = /, (\d+) faults, (\d+) steps$/m.exec(message)!.slice(1).map(Number);
      assert.ok(faults! <= 2 && steps! <= 4, `${faults} faults and ${steps} steps are not small`);
      const command = /^npm run sim -- .*$/m.exec(message)![0];
      const again = run(command, planted.folder);
      assert.equal(again.status, 1, again.stdout + again.stderr);
      assert.ok(again.stdout.includes(`${found[1]}: ${found[2]}`), again.stdout);
      const without = run(command, sound.folder);
      assert.equal(without.status, 0, without.stdout + without.stderr);
      assert.match(without.stdout, /every promise was kept/);
    } finally {
      planted.remove();
      sound.remove();
    }
  });
});

function failedProperty(folder: string): string {
  const script = fileURLToPath(new URL('mutants/fail-property.js', import.meta.url));
  const args = [script, folder, `${SEED}`, '50', '60', '4000'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(status, 1, stdout + stderr);
  return stdout;
}

/** As a person would type it. */
function run(command: string, folder: string): SpawnSyncReturns<string> {
  return spawnSync(command, { cwd: folder, shell: true, encoding: 'utf8' });
}
