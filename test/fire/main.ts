/** Three real processes under SIGKILL, SIGSTOP and cut connections, judged by the simulator's checkers. */
import process from 'node:process';
import yargs from 'yargs';
import { FireRun } from './fire-run.js';
import { fireCommand, progressText, resultLines } from './report.js';
import { saveRun } from './save-run.js';

async function main(): Promise<number> {
  const { seed, minutes, save } = await yargs(process.argv.slice(2))
    .scriptName('node dist/test/fire/main.js')
    .usage(
      '$0 [options]\n\nRuns three processes under faults from a seed, and judges what clients saw.',
    )
    .option('seed', {
      type: 'number',
      default: 1,
      describe: 'decides faults, traffic and settings',
    })
    .option('minutes', {
      type: 'number',
      default: 1,
      describe: 'how long faults and traffic go on',
    })
    .option('save', { type: 'boolean', default: false, describe: 'write the run down in any case' })
    .strict()
    .help()
    .version(false)
    .parseAsync();
  const durationMs = minutes * 60_000;
  print(`seed ${seed}, ${minutes} minutes`);
  const run = new FireRun({
    seed,
    durationMs,
    progress: (progress) => print(progressText(progress, durationMs)),
  });
  const result = await run.run();
  for (const line of resultLines(result)) print(line);
  const isKept = result.violations.length === 0;
  if (save || !isKept) print(`history, faults and logs: ${saveRun(seed, result)}`);
  if (isKept) return 0;
  print(`again: ${fireCommand(seed, minutes)}`);
  return 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

// Channels of closed connections may linger: the verdict is out.
process.exit(await main());
