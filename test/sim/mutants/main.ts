/** `npm run sim -- --mutants`: plants every fault and prints which checker finds it, and how soon. */
import { availableParallelism } from 'node:os';
import process from 'node:process';
import yargs from 'yargs';
import { catchMutant } from './catch-mutant.js';
import { MUTANTS } from './catalogue.js';
import type { Catch } from './hunt.js';
import type { Mutant } from './mutant.js';
import { medianSeeds, reportOf, table } from './table.js';

function parse(words: readonly string[]) {
  return yargs(words)
    .scriptName('npm run sim -- --mutants')
    .usage('$0 [options]\n\nPlants known faults, one at a time; a checker must find each.')
    .option('mutants', { type: 'boolean', describe: 'what this is' })
    .option('only', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'these mutants',
    })
    .option('seeds', { type: 'number', default: 50, describe: 'most seeds of one hunt' })
    .option('hunts', { type: 'number', default: 3, describe: 'hunts for each mutant' })
    .option('jobs', {
      type: 'number',
      default: availableParallelism(),
      describe: 'mutants hunted at the same time',
    })
    .strict()
    .help()
    .version(false)
    .parseAsync();
}

async function main(): Promise<number> {
  const { only, seeds, hunts, jobs } = await parse(process.argv.slice(2));
  const wanted = MUTANTS.filter(({ name }) => only.length === 0 || only.includes(name));
  const caught = new Map<Mutant, readonly Catch[]>();
  const waiting = [...wanted];
  showProgress(0, wanted.length);
  const work = async () => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      caught.set(mutant, await catchMutant(mutant, { seeds, hunts }));
      showProgress(caught.size, wanted.length);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, jobs) }, work));
  clearLine();
  const reports = wanted.map((mutant) => reportOf(mutant, caught.get(mutant)!));
  process.stdout.write(`${table(reports)}\n`);
  const survivors = reports.filter(({ survived }) => survived);
  process.stdout.write(
    `${reports.length} mutants, ${survivors.length} survived; ` +
      `half of them are caught within ${medianSeeds(reports)} seeds\n`,
  );
  return survivors.length === 0 && reports.length > 0 ? 0 : 1;
}

const WIDTH = 30;

function showProgress(done: number, all: number): void {
  if (!process.stderr.isTTY) return;
  const filled = Math.round((done / Math.max(1, all)) * WIDTH);
  const bar = '#'.repeat(filled) + '-'.repeat(WIDTH - filled);
  process.stderr.write(`\r\x1b[K[${bar}] ${done} of ${all} mutants`);
}

function clearLine(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}

process.exitCode = await main();
