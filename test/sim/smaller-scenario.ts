/**
 * Makes a failing scenario smaller where fast-check is slow: it takes away faults and steps of clients, from
 * whole halves down to single ones, as long as it goes on failing (Zeller's ddmin).
 */
import type { Fault, Scenario, Traffic } from '../../src/sim/index.js';

/** A fault, or the step of a client of one of the workloads. */
type Part =
  | { readonly fault: Fault }
  | { readonly traffic: number; readonly client: number; readonly step: unknown };

/** `fails` is asked at most `tries` times. */
export async function smallerScenario(
  scenario: Scenario,
  fails: (smaller: Scenario) => Promise<boolean>,
  tries: number,
): Promise<Scenario> {
  let parts = partsOf(scenario);
  let left = tries;
  for (let size = Math.ceil(parts.length / 2); size >= 1 && left > 0;) {
    let isSmaller = false;
    for (let at = 0; at < parts.length && left > 0; left--) {
      const rest = [...parts.slice(0, at), ...parts.slice(at + size)];
      if (await fails(withParts(scenario, rest))) {
        parts = rest;
        isSmaller = true;
      } else {
        at += size;
      }
    }
    if (size === 1 && !isSmaller) break;
    size = Math.max(1, Math.floor(size / 2));
  }
  return withParts(scenario, parts);
}

function partsOf({ faults, traffic }: Scenario): Part[] {
  const steps = traffic.flatMap(({ plan }, i) =>
    plan.clients.flatMap((client, j) =>
      client.steps.map((step: unknown) => ({ traffic: i, client: j, step })),
    ),
  );
  return [...faults.map((fault) => ({ fault })), ...steps];
}

function withParts(scenario: Scenario, parts: readonly Part[]): Scenario {
  const faults = parts.flatMap((part) => ('fault' in part ? [part.fault] : []));
  const stepsOf = (traffic: number, client: number) =>
    parts.flatMap((part) =>
      'step' in part && part.traffic === traffic && part.client === client ? [part.step] : [],
    );
  const traffic: Traffic[] = scenario.traffic.map(({ workload, plan }, i) => ({
    workload,
    plan: { clients: plan.clients.map((_, j) => ({ steps: stepsOf(i, j) })) },
  }));
  return { ...scenario, faults, traffic };
}
