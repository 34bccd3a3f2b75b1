/** `check-property.js RUNS [SEED]`: the schedule property, for as many scenarios as one has time for. */
import process from 'node:process';
import * as simulator from '../../src/sim/index.js';
import { brokenSchedule } from './schedule-property.js';

const [runs = '100', seed = '1'] = process.argv.slice(2);
const message = await brokenSchedule(simulator, {
  seed: Number(seed),
  runs: Number(runs),
  shrinks: 200,
  durationMs: 12_000,
});
process.stdout.write(`${message ?? `${runs} schedules kept every promise (seed ${seed})`}\n`);
process.exitCode = message === undefined ? 0 : 1;
