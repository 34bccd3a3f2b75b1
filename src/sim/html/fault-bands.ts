/** Faults as bands, from the trace: which members each meets and how long it lasts. */
import type { Fault } from '../faults.js';
import type { TraceEvent } from '../trace.js';
import type { FaultBand } from './viewer/picture.js';

export class FaultBands {
  readonly #bands: FaultBand[] = [];
  readonly #memberOf: (host: string) => number;

  constructor(memberOf: (host: string) => number) {
    this.#memberOf = memberOf;
  }

  /** A `fault` event: the fault as JSON, then the hosts that its places mean. */
  begins({ atUs, details }: TraceEvent): void {
    const [kind, json, ...hosts] = details.map(String);
    if (json === undefined) return this.#heals(atUs, kind!);
    const fault = JSON.parse(json) as Fault;
    const hostAt = (place: number) => hosts[place % hosts.length]!;
    const met = placesOf(fault).map((place) => this.#memberOf(hostAt(place)));
    this.#bands.push({
      fromUs: atUs,
      untilUs: atUs + lastsMs(fault) * 1000,
      kind: fault.kind,
      label: labelOf(fault, hostAt, hosts),
      members: [...new Set(met)],
      ...(fault.kind === 'partition' && { groups: this.#groups(fault.groups, hosts) }),
    });
  }

  until(endUs: number): FaultBand[] {
    return this.#bands.map((band) => ({ ...band, untilUs: Math.min(band.untilUs, endUs) }));
  }

  #heals(atUs: number, label: string): void {
    for (const [place, band] of this.#bands.entries()) {
      this.#bands[place] = { ...band, untilUs: Math.min(band.untilUs, atUs) };
    }
    this.#bands.push({ fromUs: atUs, untilUs: atUs, kind: 'heal', label, members: [] });
  }

  /** Those in no group make one more. */
  #groups(groups: readonly (readonly number[])[], hosts: readonly string[]): number[] {
    const list: number[] = [];
    hosts.forEach((host, place) => {
      const group = groups.findIndex((places) => places.includes(place));
      list[this.#memberOf(host)] = group < 0 ? groups.length : group;
    });
    return Array.from(list, (group) => group ?? -1);
  }
}

function placesOf(fault: Fault): number[] {
  if ('node' in fault) return [fault.node];
  return 'from' in fault ? [fault.from, fault.to] : [];
}

/** A crash and what follows are states of the member: the fault itself is a moment. */
function lastsMs(fault: Fault): number {
  return 'forMs' in fault ? fault.forMs : 0;
}

function labelOf(
  fault: Fault,
  hostAt: (place: number) => string,
  hosts: readonly string[],
): string {
  switch (fault.kind) {
    case 'crash':
      return `${hostAt(fault.node)} ${fault.powerLoss ? 'loses power' : 'is killed'}`;
    case 'blackout':
      return 'everybody loses power';
    case 'partition':
      return `partition: ${groupNames(fault.groups, hosts)}`;
    case 'cut':
      return `cut: ${hostAt(fault.from)} → ${hostAt(fault.to)}`;
    case 'slowLink':
      return `slow: ${hostAt(fault.from)} → ${hostAt(fault.to)} by ${fault.delayMs} ms`;
    case 'badNetwork':
      return `bad network: ${badness(fault)}`;
    case 'slowDisk':
      return `${hostAt(fault.node)}: disk ${fault.factor}× slower`;
    case 'wallJump':
      return `${hostAt(fault.node)}: wall clock jumps ${fault.byMs} ms`;
    case 'drift':
      return `${hostAt(fault.node)}: clock drifts, ${fault.share} of the most`;
    case 'transfer':
      return `leadership to ${hostAt(fault.node)}`;
    case 'restart':
    case 'pause':
    case 'cutClients':
    case 'fullDisk':
    case 'readError':
    case 'bitFlip':
    case 'replace':
      return `${hostAt(fault.node)}: ${NAMES[fault.kind]}`;
  }
}

const NAMES = {
  restart: 'restart',
  pause: 'pause',
  cutClients: 'no clients reach it',
  fullDisk: 'disk full',
  readError: 'disk read error',
  bitFlip: 'power loss and a flipped bit',
  replace: 'disk lost, member replaced',
};

function groupNames(groups: readonly (readonly number[])[], hosts: readonly string[]): string {
  const rest = hosts.map((_, place) => place).filter((place) => !groups.flat().includes(place));
  return [...groups, rest]
    .map((places) => places.flatMap((place) => hosts[place] ?? []).join(' '))
    .filter((names) => names !== '')
    .join(' | ');
}

function badness(fault: { loss: number; duplicate: number; reorder: number }): string {
  const percent = (share: number) => `${Math.round(share * 100)}%`;
  return `${percent(fault.loss)} lost, ${percent(fault.duplicate)} repeated, ${percent(fault.reorder)} overtaken`;
}
