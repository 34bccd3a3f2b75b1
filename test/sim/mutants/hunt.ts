/**
 * A process of its own: `hunt.js FOLDER PROFILE PROMISES COUNT FIRST…` loads the simulator below
 * FOLDER and runs seeds until one breaks one of the PROMISES (parted by commas), at most COUNT from each
 * FIRST on. Prints a {@link Catch} as one line of JSON for each FIRST.
 */
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type * as Simulator from '../../../src/sim/index.js';
import type { ProfileName } from '../../../src/sim/index.js';

/** How a hunt ended. */
export interface Catch {
  /** The first seed that broke one of the promises; undefined: none did. */
  readonly seed?: number;
  readonly promise?: string;
  readonly explanation?: string;
  /** Seeds that were run. */
  readonly seeds: number;
  /** Other promises that were broken on the way. */
  readonly strays: readonly string[];
}

async function hunt(
  { Simulation, scenarioOf }: typeof Simulator,
  profile: ProfileName,
  promises: readonly string[],
  first: number,
  count: number,
): Promise<Catch> {
  const strays = new Set<string>();
  for (let seeds = 1; seeds <= count; seeds++) {
    const seed = first + seeds - 1;
    const { violations } = await new Simulation(scenarioOf(seed, { profile })).run();
    const found = violations.find(({ promise }) => promises.includes(promise));
    if (found !== undefined) return { ...found, seed, seeds, strays: [...strays] };
    for (const { promise } of violations) strays.add(promise);
  }
  return { seeds: count, strays: [...strays] };
}

const [folder, profile, promises, count, ...firsts] = process.argv.slice(2);
const index = pathToFileURL(join(folder!, 'dist', 'src', 'sim', 'index.js')).href;
const simulator = (await import(index)) as typeof Simulator;
for (const first of firsts) {
  const end = await hunt(
    simulator,
    profile as ProfileName,
    promises!.split(','),
    Number(first),
    Number(count),
  );
  process.stdout.write(`${JSON.stringify(end)}\n`);
}
