/** `--html`: a seed's run as a page in a file. */
import { writeFileSync } from 'node:fs';
import { type ScenarioOptions } from '../profiles.js';
import { replayCommand } from '../run-seeds.js';
import type { Scenario, SimulationResult } from '../simulation.js';
import { pageOf } from './page.js';
import type { PictureRecorder } from './picture-recorder.js';

export interface SeedPage {
  readonly scenario: Scenario;
  readonly options: ScenarioOptions;
  /** Runs it again; undefined: the seed and the options say it all. */
  readonly command?: string | undefined;
  readonly result: SimulationResult;
  /** Has heard the whole run. */
  readonly recorder: PictureRecorder;
}

export function writeSeedPage(
  file: string,
  { scenario, options, command, result, recorder }: SeedPage,
): void {
  const { seed, members } = scenario;
  const picture = recorder.picture(result, {
    title: `Seed ${seed}`,
    command: command ?? replayCommand(seed, options),
    facts: [
      ['profile', options.profile ?? 'everything'],
      ['members', String(members)],
    ],
  });
  writeFileSync(file, pageOf(picture));
}
