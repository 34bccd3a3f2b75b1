/**
 * A process of its own: `fail-property.js FOLDER SEED RUNS SHRINKS DURATION_MS` checks the schedule
 * property on the simulator below FOLDER. Prints what fails and ends with 1, or with 0.
 */
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type * as Simulator from '../../../src/sim/index.js';
import { brokenSchedule } from '../schedule-property.js';

const [folder, seed, runs, shrinks, durationMs] = process.argv.slice(2);
const index = pathToFileURL(join(folder!, 'dist', 'src', 'sim', 'index.js')).href;
const simulator = (await import(index)) as typeof Simulator;
const message = await brokenSchedule(simulator, {
  seed: Number(seed),
  runs: Number(runs),
  shrinks: Number(shrinks),
  durationMs: Number(durationMs),
});
if (message !== undefined) {
  process.stdout.write(`${message}\n`);
  process.exitCode = 1;
}
