/** `npm run sim`: one seed with its whole trace, or many with only their failures. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import yargs from 'yargs';
import { PROFILES, type ScenarioOptions, scenarioOf } from './profiles.js';
import { progressLine, summary } from './progress-bar.js';
import { type SeedReport, type SeedRun, replayCommand, runSeeds } from './run-seeds.js';
import { PictureRecorder } from './html/picture-recorder.js';
import { writeSeedPage } from './html/write-page.js';
import { scenarioFromText, scheduleCommand } from './scenario-text.js';
import { type Scenario, Simulation, type SimulationResult } from './simulation.js';
import { type TraceEvent, traceLine } from './trace.js';

function parse(words: readonly string[]) {
  return yargs(words)
    .scriptName('npm run sim --')
    .usage('$0 [options]\n\nRuns whole clusters under virtual time, with faults, from a seed.')
    .option('seed', { type: 'number', describe: 'run this one and print its whole trace' })
    .option('seeds', { type: 'number', describe: 'run so many and print their failures' })
    .option('first', { type: 'number', default: 1, describe: 'the first of many seeds' })
    .option('minutes', { type: 'number', describe: 'run seeds for so long' })
    .option('profile', { choices: PROFILES, describe: 'what happens; everything by default' })
    .option('members', { type: 'number', describe: 'founders; three or five by default' })
    .option('seconds', { type: 'number', describe: 'virtual seconds of faults; 30 by default' })
    .option('replay', {
      type: 'boolean',
      default: false,
      describe: 'run each seed twice and compare',
    })
    .option('html', {
      type: 'string',
      describe:
        'a page with a picture of the run (of many: of the first that fails), for this file',
    })
    .option('schedule', {
      type: 'string',
      describe: 'run this scenario (JSON, or a file of it), as a failing property prints it',
    })
    .option('quiet', { type: 'boolean', default: false, describe: 'with one run: no trace' })
    .epilog('--mutants plants known faults and shows which checkers find them (--mutants --help).')
    .strict()
    .help()
    .version(false)
    .parseAsync();
}

async function main(): Promise<number> {
  const { seed, seeds, first, minutes, profile, members, seconds, ...rest } = await parse(
    process.argv.slice(2),
  );
  const { replay, quiet, html, schedule } = rest;
  const scenario: ScenarioOptions = {
    ...(profile !== undefined && { profile }),
    ...(members !== undefined && { members }),
    ...(seconds !== undefined && { seconds }),
  };
  if (schedule !== undefined) return runSchedule(schedule, { quiet, html });
  if (seed !== undefined) return runSeed(seed, scenario, { quiet, html });
  const count = seeds ?? (minutes === undefined ? 20 : undefined);
  return runMany({ first, count, minutes, scenario, replay }, html);
}

interface Output {
  readonly quiet: boolean;
  /** File of the page. */
  readonly html: string | undefined;
}

function runSeed(seed: number, options: ScenarioOptions, output: Output): Promise<number> {
  const command = replayCommand(seed, options);
  return runOne({ scenario: scenarioOf(seed, options), options, command }, output);
}

function runSchedule(textOrFile: string, output: Output): Promise<number> {
  const isText = textOrFile.trimStart().startsWith('{');
  const scenario = scenarioFromText(isText ? textOrFile : readFileSync(textOrFile, 'utf8'));
  return runOne({ scenario, options: {}, command: scheduleCommand(scenario) }, output);
}

/** A scenario and where it comes from. */
interface Play {
  readonly scenario: Scenario;
  readonly options: ScenarioOptions;
  readonly command: string;
}

async function runOne(play: Play, { quiet, html }: Output): Promise<number> {
  const { scenario, options, command } = play;
  nameRunOnCrash(() => command);
  const recorder = html === undefined ? undefined : new PictureRecorder();
  const trace = (event: TraceEvent) => {
    if (!quiet) print(traceLine(event));
    recorder?.listener(event);
  };
  const isHeard = !quiet || recorder !== undefined;
  const result = await new Simulation(scenario, isHeard ? { trace } : {}).run();
  if (recorder !== undefined) {
    writeSeedPage(html!, { scenario, options, command, result, recorder });
  }
  print(resultLine(scenario, result));
  const { violations, undecided } = result;
  if (undecided.length > 0) print(`linearizability undecided for ${undecided.join(', ')}`);
  if (violations.length === 0) {
    print('every promise was kept');
    return 0;
  }
  const { seed, members } = scenario;
  tell({ seed, members, violations }, command);
  return 1;
}

function resultLine({ seed, members }: Scenario, result: SimulationResult): string {
  const seconds = (result.virtualMs / 1000).toFixed(1);
  return (
    `seed ${seed}: ${members} members, ${seconds} virtual seconds, ${result.events} events, ` +
    `${result.operationsDone} operations done, trace ${result.traceHash}`
  );
}

async function runMany(run: SeedRun, html: string | undefined): Promise<number> {
  let seeds = 0;
  let firstFailed: number | undefined;
  nameRunOnCrash(() => replayCommand(run.first + seeds, run.scenario));
  const totals = await runSeeds(run, {
    failed: (report) => {
      firstFailed ??= report.seed;
      clearLine();
      tell(report, replayCommand(report.seed, run.scenario));
    },
    progress: (now) => {
      seeds = now.seeds;
      const shares = [
        now.seeds / (run.count ?? Infinity),
        now.wallMs / 60_000 / (run.minutes ?? Infinity),
      ];
      showLine(progressLine(now, Math.max(...shares)));
    },
  });
  clearLine();
  print(summary(totals));
  if (html !== undefined && firstFailed !== undefined) {
    await runSeed(firstFailed, run.scenario, { quiet: true, html });
  }
  return totals.failures === 0 ? 0 : 1;
}

function tell({ seed, members, violations }: SeedReport, command: string): void {
  print(`seed ${seed} (${members} members) broke ${violations.length} promises:`);
  for (const { promise, explanation } of violations.slice(0, MAX_TOLD)) {
    print(`  ${promise}: ${explanation}`);
  }
  if (violations.length > MAX_TOLD) print(`  … and ${violations.length - MAX_TOLD} more`);
  print(`  again: ${command}`);
}

const MAX_TOLD = 5;

/** A promise that nobody catches is a fault of the members or of the simulator: the run must be named. */
function nameRunOnCrash(command: () => string): void {
  process.once('unhandledRejection', (error) => {
    print(`an error that nobody handled, in ${command()}`);
    print(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exit(1);
  });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function showLine(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
}

function clearLine(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}

process.exitCode = await main();
