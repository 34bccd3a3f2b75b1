import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChanceStreams } from '../../src/sim/chance.js';
import { type FaultPlan, drawFaults } from '../../src/sim/faults.js';
import { PROFILES, scenarioOf } from '../../src/sim/profiles.js';

const PLAN: FaultPlan = {
  weights: { crash: 3, partition: 2, replace: 1 },
  members: 3,
  fromMs: 1000,
  untilMs: 200_000,
  everyMs: 500,
};

const draw = (seed: number, plan = PLAN) => drawFaults(new ChanceStreams(seed).stream('f'), plan);

describe('a schedule of faults', () => {
  it('is the same for a seed', () => {
    assert.deepEqual(draw(1), draw(1));
    assert.notDeepEqual(draw(1), draw(2));
  });

  it('lies in its time, in order, as dense as asked', () => {
    const times = draw(1).map(({ atMs }) => atMs);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.ok(times[0]! >= 1000 && times.at(-1)! < 200_000);
    assert.ok(times.length > 300 && times.length < 500, `${times.length}`);
  });

  it('has every kind as often as its weight says, and no other', () => {
    const counts = new Map<string, number>();
    for (const { kind } of draw(1)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    assert.deepEqual([...counts.keys()].sort(), ['crash', 'partition', 'replace']);
    assert.ok(counts.get('crash')! > counts.get('partition')!);
    assert.ok(counts.get('partition')! > counts.get('replace')!);
  });

  it('survives being stored as JSON', () => {
    const { faults } = scenarioOf(1);
    assert.deepEqual(JSON.parse(JSON.stringify(faults)), faults);
  });
});

describe('the scenario of a seed', () => {
  it('is the same every time, for every profile', () => {
    for (const profile of PROFILES) {
      assert.deepEqual(scenarioOf(9, { profile }), scenarioOf(9, { profile }));
    }
  });

  it('takes what it is told', () => {
    const { members, durationMs } = scenarioOf(9, { members: 5, seconds: 7 });
    assert.equal(members, 5);
    assert.equal(durationMs, 7000);
  });
});
