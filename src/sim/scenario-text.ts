/** Scenarios as one line of text, for commands and files: what fast-check has made small is replayed from it. */
import type { Scenario, Traffic } from './simulation.js';
import {
  kubernetesWorkload,
  kvWorkload,
  leaseWorkload,
  membershipWorkload,
  watchWorkload,
} from './workloads/index.js';
import type { Plan, Workload } from './workloads/workload-client.js';

const WORKLOADS: readonly Workload<any>[] = [
  kubernetesWorkload,
  kvWorkload,
  leaseWorkload,
  membershipWorkload,
  watchWorkload,
];

/**
 * JSON in ASCII and without apostrophes, so that a shell takes it between them. Workloads go by their
 * names; a bigint becomes `{"bigint":"12"}`.
 */
export function scenarioText(scenario: Scenario): string {
  const traffic = scenario.traffic.map(({ workload, plan }) => ({ workload: workload.name, plan }));
  const json = JSON.stringify({ ...scenario, traffic }, (_, value: unknown) =>
    typeof value === 'bigint' ? { bigint: `${value}` } : value,
  );
  return json.replace(/['\u007f-\uffff]/g, escaped);
}

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

interface NamedTraffic {
  readonly workload: string;
  readonly plan: Plan<any>;
}

/** Reads what {@link scenarioText} wrote. Throws when it is something else. */
export function scenarioFromText(text: string): Scenario {
  const value = JSON.parse(text, revive) as Omit<Scenario, 'traffic'> & { traffic: NamedTraffic[] };
  for (const name of ['seed', 'members', 'durationMs'] as const) {
    if (typeof value[name] !== 'number') throw new Error(`a schedule needs a number "${name}"`);
  }
  for (const name of ['faults', 'traffic'] as const) {
    if (!Array.isArray(value[name])) throw new Error(`a schedule needs a list "${name}"`);
  }
  return { ...value, traffic: value.traffic.map(withWorkload) };
}

function revive(_key: string, value: unknown): unknown {
  const isBigint = typeof value === 'object' && value !== null && 'bigint' in value;
  return isBigint ? BigInt(value.bigint as string) : value;
}

function withWorkload({ workload: name, plan }: NamedTraffic): Traffic {
  const workload = WORKLOADS.find((one) => one.name === name);
  if (workload === undefined) throw new Error(`no workload is called ${name}`);
  return { workload, plan };
}

/** The command that runs exactly this scenario again. */
export function scheduleCommand(scenario: Scenario): string {
  return `npm run sim -- --quiet --schedule '${scenarioText(scenario)}'`;
}
