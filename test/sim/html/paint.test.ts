import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { paint } from '../../../src/sim/html/viewer/paint.js';
import { runOf } from '../../../src/sim/html/viewer/run.js';
import { View } from '../../../src/sim/html/viewer/view.js';
import type { Violation } from '../../../src/sim/checkers/violation.js';
import { leaderKilled } from './story.js';

/** A canvas that writes down what is drawn on it: calls with their first arguments and the colour. */
function notebook() {
  const calls: { name: string; args: unknown[]; colour: unknown }[] = [];
  const state: Record<string, unknown> = {};
  const context = new Proxy(state, {
    get: (_, name: string) => {
      if (name === 'measureText') return (text: string) => ({ width: text.length * 6 });
      if (name in state) return state[name];
      return (...args: unknown[]) => {
        const colour = name.startsWith('stroke') ? state.strokeStyle : state.fillStyle;
        calls.push({ name, args, colour });
      };
    },
    set: (_, name: string, value) => {
      state[name] = value;
      return true;
    },
  });
  const texts = () => calls.filter(({ name }) => name === 'fillText').map(({ args }) => args[0]);
  const uses = (colour: string) => calls.filter((call) => call.colour === colour).length;
  return { context: context as never, palette: (name: string) => name, calls, texts, uses };
}

function painted(violations: readonly Violation[], change: (view: View) => void = () => {}) {
  const story = leaderKilled();
  const fault = { kind: 'partition', groups: [[0], [1, 2]], forMs: 300, atMs: 300 };
  story.at(300, 'fault', '', 'partition', JSON.stringify(fault), 'n1', 'n2', 'n3');
  const view = new View(runOf(story.picture(1000, violations)));
  view.resize(1200, 800);
  view.scale.showAll();
  change(view);
  const brush = notebook();
  paint(brush, view);
  return brush;
}

describe('a frame', () => {
  it('shows roles with terms, faults, times', () => {
    const texts = painted([]).texts();
    assert.ok(texts.includes('leader, term 2'), texts.join());
    assert.ok(texts.includes('down'));
    assert.ok(texts.includes('partition: n1 | n2 n3'));
    assert.ok(texts.includes('0.5 s'));
  });

  it('draws each sort in its colour', () => {
    const brush = painted([]);
    for (const colour of ['message-append', 'message-vote', 'message-heartbeat']) {
      assert.ok(brush.uses(colour) > 0, colour);
    }
    for (const colour of ['leader', 'candidate', 'follower', 'down-band', 'commit', 'outcome-ok']) {
      assert.ok(brush.uses(colour) > 0, colour);
    }
    assert.ok(brush.uses('group-0') > 0 && brush.uses('group-1') > 0);
    assert.equal(brush.uses('violation'), 0);
  });

  it('marks a violation and what shows it', () => {
    const brush = painted([{ promise: 'no-lost-write', explanation: 'x', operations: [0] }]);
    assert.ok(brush.texts().includes('no-lost-write'));
    const frames = brush.calls.filter(
      ({ name, colour }) => name === 'strokeRect' && colour === 'violation',
    );
    assert.equal(frames.length, 1);
  });

  it('does not draw what is out of view', () => {
    const brush = painted([], (view) => view.scale.show(800_000, 900_000));
    assert.equal(brush.uses('message-append'), painted([], hideAll).uses('message-append'));
    assert.ok(!brush.texts().includes('leader, term 2'));
  });

  it('makes what is pointed at stand out', () => {
    const brush = painted([], (view) => {
      view.selected = view.run.messages.items[0];
      view.hovered = view.run.operations.items[0];
    });
    assert.ok(brush.uses('pointed') > 0);
  });
});

function hideAll(view: View): void {
  view.hiddenGroups.add('append');
}
