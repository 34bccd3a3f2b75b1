import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PROFILES, type Scenario, scenarioFromText, scenarioOf } from '../../src/sim/index.js';
import { scenarioText, scheduleCommand } from '../../src/sim/scenario-text.js';
import { kvWorkload } from '../../src/sim/workloads/index.js';

describe('a scenario as text', () => {
  for (const profile of PROFILES) {
    it(`is read back as it was: profile ${profile}, seed 5`, () => {
      const scenario = scenarioOf(5, { profile });
      assert.deepEqual(scenarioFromText(scenarioText(scenario)), scenario);
    });
  }

  it('stands between apostrophes on a command line', () => {
    const key = "it's \u00ff \n";
    const steps = [{ op: 'put', key, value: 'v', prevKv: false, place: 0, afterMs: 1 }];
    const scenario: Scenario = {
      seed: 1,
      members: 3,
      durationMs: 10,
      faults: [],
      traffic: [{ workload: kvWorkload, plan: { clients: [{ steps }] } }],
    };
    const text = /^npm run sim -- --quiet --schedule '([\x20-\x7e]*)'$/.exec(
      scheduleCommand(scenario),
    );
    assert.ok(text);
    assert.ok(!text[1]!.includes("'"));
    assert.deepEqual(scenarioFromText(text[1]!), scenario);
  });

  it('is refused when it is something else', () => {
    assert.throws(() => scenarioFromText('{}'), /needs a number "seed"/);
    const traffic = '[{"workload":"chess","plan":{"clients":[]}}]';
    const text = `{"seed":1,"members":3,"durationMs":1,"faults":[],"traffic":${traffic}}`;
    assert.throws(() => scenarioFromText(text), /no workload is called chess/);
  });
});
