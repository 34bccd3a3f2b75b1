/** A slice of what `npm run test:long` does at length: fixed seeds, the replay check, quick mutants. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import process from 'node:process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Simulation, scenarioOf, type ProfileName } from '../../src/sim/index.js';
import { replayCommand } from '../../src/sim/run-seeds.js';
import { catchMutant } from './mutants/catch-mutant.js';
import { mutantNamed } from './mutants/catalogue.js';
import { plant } from './mutants/plant.js';

const SEEDS: readonly (readonly [ProfileName, number])[] = [
  ['raft', 101],
  ['raft', 102],
  ['kv', 103],
  ['watch', 104],
  ['lease', 105],
  ['kubernetes', 106],
  ['everything', 107],
  ['everything', 108],
  ['everything', 109],
];

describe('a seed', () => {
  for (const [profile, seed] of SEEDS) {
    const command = replayCommand(seed, { profile });
    it(`keeps every promise: profile ${profile}, seed ${seed}`, async () => {
      const { violations, undecided } = await new Simulation(scenarioOf(seed, { profile })).run();
      assert.deepEqual(violations, [], command);
      assert.deepEqual(undecided, [], command);
    });
  }

  it('has the same trace in two processes: profile everything, seed 42', async () => {
    const main = fileURLToPath(new URL('../../src/sim/main.js', import.meta.url));
    const run = async () => {
      const args = [main, '--seed', '42', '--quiet', '--seconds', '10'];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      return /trace ([0-9a-f]{16})/.exec(stdout)![1];
    };
    const [one, other] = await Promise.all([run(), run()]);
    assert.equal(one, other);
  });
});

describe('a mutant', () => {
  for (const [name, seeds] of [
    ['lose-the-vote-at-a-crash', 5],
    ['event-repeated-on-resume', 5],
    ['follower-expires-leases', 5],
  ] as const) {
    it(`is caught within seeds 1 to ${seeds}: ${name}`, async () => {
      const mutant = mutantNamed(name);
      const [caught] = await catchMutant(mutant, { seeds, hunts: 1 });
      assert.ok(mutant.breaks.includes(caught!.promise ?? ''), JSON.stringify(caught));
    });
  }

  it('whose text is not in the program cannot be planted', () => {
    const edit = { file: 'raft/raft.js', find: 'no such text', replace: '' };
    assert.throws(() => plant([edit]), /holds the text to be replaced 0 times/);
  });
});
