/** Drawing plans, and walking through one. */
import type { Random } from '../../raft/index.js';
import { Chance } from '../chance.js';
import type { ClientPlan, Plan, PlanOptions, Timed, WorkloadClient } from './workload-client.js';

/** Which client of the plan, and which step of it, is being drawn: for names that nobody else has. */
export interface Position {
  readonly client: number;
  readonly step: number;
}

/** Draws steps for each client until its time is full. */
export function drawPlan<Step extends Timed>(
  random: Random,
  options: PlanOptions,
  drawStep: (chance: Chance, position: Position) => Omit<Step, 'afterMs'>,
): Plan<Step> {
  const chance = new Chance(random);
  const clients = Array.from({ length: options.clients }, (_, client) => ({
    steps: drawSteps(chance, options, (step) => drawStep(chance, { client, step })),
  }));
  return { clients: clients as unknown as ClientPlan<Step>[] };
}

function drawSteps<Step>(
  chance: Chance,
  { durationMs, meanPauseMs }: PlanOptions,
  draw: (step: number) => Step,
): (Step & Timed)[] {
  const steps: (Step & Timed)[] = [];
  for (let atMs = 0; ;) {
    // The smaller of two draws below three times the mean has that mean.
    const afterMs = chance.mostlyLow(0, 3 * meanPauseMs);
    atMs += afterMs + 1;
    if (atMs > durationMs) return steps;
    steps.push({ afterMs, ...draw(steps.length) });
  }
}

/** Takes the steps in turn, each after its pause, until they are done or the run wants to end. */
export async function walk<Step extends Timed>(
  client: WorkloadClient,
  { steps }: ClientPlan<Step>,
  take: (step: Step) => Promise<void>,
): Promise<void> {
  for (const step of steps) {
    await client.sleep(step.afterMs);
    if (client.stopping) return;
    await take(step);
  }
}
