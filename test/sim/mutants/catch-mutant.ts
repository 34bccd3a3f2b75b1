/** Sets the simulator on a mutant. */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Catch } from './hunt.js';
import type { Mutant } from './mutant.js';
import { plant } from './plant.js';

export interface HuntOptions {
  /** Most seeds of one hunt. */
  readonly seeds: number;
  /** Hunts, each with seeds of its own. */
  readonly hunts: number;
}

/** Seeds of different hunts are so far from each other. */
const HUNT_STRIDE = 1000;

/** What the hunts caught, one after another. Rejects when the mutant cannot be planted or run. */
export async function catchMutant(mutant: Mutant, options: HuntOptions): Promise<Catch[]> {
  const { folder, remove } = plant(mutant.edits);
  try {
    return await hunt(folder, mutant, options);
  } finally {
    remove();
  }
}

async function hunt(folder: string, mutant: Mutant, options: HuntOptions): Promise<Catch[]> {
  const { profile, breaks, name } = mutant;
  const firsts = Array.from({ length: options.hunts }, (_, i) => `${i * HUNT_STRIDE + 1}`);
  const script = fileURLToPath(new URL('hunt.js', import.meta.url));
  const args = [script, folder, profile, breaks.join(','), `${options.seeds}`, ...firsts];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  if (status !== 0) throw new Error(`the hunt for ${name} ended with ${status}: ${errors}`);
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Catch);
}
