/** The same faults as a seed draws, as fast-check values: a schedule that fails shrinks to a small one. */
import fc from 'fast-check';
import { LEADER, type Fault } from '../../src/sim/faults.js';

export interface ScheduleShape {
  readonly members: number;
  /** Faults begin before this. */
  readonly untilMs: number;
  readonly maxFaults: number;
}

/** In order of time. */
export function faultSchedule({
  members,
  untilMs,
  maxFaults,
}: ScheduleShape): fc.Arbitrary<Fault[]> {
  return fc
    .array(faultBefore(untilMs, members), { maxLength: maxFaults, size: 'max' })
    .map((faults) => faults.toSorted((a, b) => a.atMs - b.atMs));
}

function faultBefore(untilMs: number, members: number): fc.Arbitrary<Fault> {
  const place = fc.nat(members - 1);
  const node = fc.oneof(fc.constant(LEADER), place);
  const atMs = fc.integer({ min: 1500, max: untilMs });
  const forMs = fc.integer({ min: 100, max: 4000 });
  const percent = (max: number) => fc.nat(max).map((n) => n / 100);
  const fault = <Kind extends Fault['kind']>(kind: Kind) => ({ kind: fc.constant(kind), atMs });
  return fc.oneof(
    fc.record({ ...fault('crash'), node, powerLoss: fc.boolean(), downMs: forMs }),
    fc.record({ ...fault('restart'), node, downMs: forMs }),
    fc.record({ ...fault('blackout'), downMs: forMs }),
    fc.record({ ...fault('pause'), node, forMs }),
    fc.record({ ...fault('partition'), groups: fc.tuple(fc.tuple(node)), forMs }),
    fc.record({ ...fault('cut'), from: place, to: place, forMs }),
    fc.record({ ...fault('cutClients'), node, forMs }),
    fc.record({
      ...fault('badNetwork'),
      loss: percent(40),
      duplicate: percent(30),
      reorder: percent(50),
      forMs,
    }),
    fc.record({ ...fault('slowDisk'), node, factor: fc.integer({ min: 5, max: 200 }), forMs }),
    fc.record({ ...fault('bitFlip'), node, repairMs: forMs }),
    fc.record({ ...fault('transfer'), node: place }),
  );
}
