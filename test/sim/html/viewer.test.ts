import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { columnsOf } from '../../../src/sim/html/columns.js';
import { lineOf } from '../../../src/sim/html/viewer/describe.js';
import { nextMoment } from '../../../src/sim/html/viewer/jumps.js';
import { layoutOf } from '../../../src/sim/html/viewer/layout.js';
import { shapeAt } from '../../../src/sim/html/viewer/pick.js';
import { rowsOf } from '../../../src/sim/html/viewer/picture.js';
import { goToPlace, placeOf } from '../../../src/sim/html/viewer/place-in-url.js';
import { runOf } from '../../../src/sim/html/viewer/run.js';
import { SpanIndex } from '../../../src/sim/html/viewer/span-index.js';
import { TimeScale } from '../../../src/sim/html/viewer/time-scale.js';
import { tracksOf } from '../../../src/sim/html/viewer/tracks.js';
import { View } from '../../../src/sim/html/viewer/view.js';
import { leaderKilled } from './story.js';

const spans = fc.array(
  fc
    .tuple(fc.nat(1000), fc.nat(300), fc.nat(2))
    .map(([fromUs, lasts, client]) => ({ fromUs, untilUs: fromUs + lasts, client })),
);

describe('what the page calculates', () => {
  it('reads columns as they were written', () => {
    const row = fc.tuple(fc.nat(), fc.nat(9)).map(([atUs, member]) => ({ atUs, member }));
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const sorted = rows.toSorted((a, b) => a.atUs - b.atUs);
        assert.deepEqual(rowsOf(columnsOf(rows, ['atUs', 'member'])), sorted);
      }),
    );
  });

  it('finds what is within a stretch of time', () => {
    fc.assert(
      fc.property(spans, fc.nat(1200), fc.nat(400), (items, fromUs, lasts) => {
        const untilUs = fromUs + lasts;
        const expected = items
          .toSorted((a, b) => a.fromUs - b.fromUs)
          .filter((item) => item.fromUs <= untilUs && item.untilUs >= fromUs);
        assert.deepEqual(new SpanIndex(items).within(fromUs, untilUs), expected);
      }),
    );
  });

  it('gives what a client does at one time tracks of their own', () => {
    fc.assert(
      fc.property(spans, (items) => {
        const sorted = items.toSorted((a, b) => a.fromUs - b.fromUs);
        const { tracks, firstTracks } = tracksOf(sorted, 3);
        sorted.forEach((item, i) => {
          assert.ok(tracks[i]! >= firstTracks[item.client]!);
          assert.ok(tracks[i]! < firstTracks[item.client + 1]!);
          const clash = sorted.findIndex(
            (other, j) => j < i && tracks[j] === tracks[i] && other.untilUs > item.fromUs,
          );
          assert.equal(clash, -1);
        });
      }),
    );
  });

  it('keeps a moment where it is while it zooms, and time inside the run', () => {
    const scale = new TimeScale(30_000_000);
    scale.resize(800);
    scale.showAll();
    assert.ok(scale.yOf(0) > 0 && scale.yOf(30_000_000) < 800);
    scale.show(10_000_000, 12_000_000);
    const atUs = scale.usAt(300);
    scale.zoom(3, 300);
    assert.ok(Math.abs(scale.usAt(300) - atUs) < 1e-3);
    scale.scroll(1e9);
    assert.ok(scale.bottomUs >= 30_000_000 && scale.bottomUs < 31_000_000);
    scale.scroll(-1e9);
    assert.ok(scale.topUs <= 0 && scale.topUs > -1_000_000);
  });

  it('shows the same stretch after the window has changed', () => {
    const scale = new TimeScale(30_000_000);
    scale.resize(100);
    scale.show(5_000_000, 6_000_000);
    scale.resize(900);
    assert.equal(Math.round(scale.topUs), 5_000_000);
    assert.equal(Math.round(scale.bottomUs), 6_000_000);
  });

  it('puts everybody inside the width, on a phone too', () => {
    for (const width of [320, 500, 900, 1600]) {
      const shown = [true, false, true, true, true, true];
      const { laneX, clients, members } = layoutOf({ width, shown, tracks: 60 });
      assert.equal(laneX[1], undefined);
      const xs = laneX.filter((x) => x !== undefined);
      assert.deepEqual(
        xs,
        xs.toSorted((a, b) => a - b),
      );
      assert.ok(xs.at(-1)! < members.left + members.width);
      assert.ok(members.left + members.width <= clients.left);
      assert.ok(clients.left + clients.width <= width, `${width}`);
    }
  });

  it('passes a place on in the address', () => {
    const scale = new TimeScale(30_000_000);
    scale.resize(500);
    assert.equal(goToPlace(scale, ''), false);
    assert.equal(goToPlace(scale, '#at=12.5&span=0.4'), true);
    assert.equal(placeOf(scale), '#at=12.500000&span=0.400000');
  });
});

function view(): View {
  const made = new View(runOf(leaderKilled().picture(1000)));
  made.resize(1000, 500);
  made.scale.showAll();
  return made;
}

describe('the view of a run', () => {
  it('finds what a person points at, and its line of the trace', () => {
    const { run, layout, scale } = view();
    const [n1, , n3] = layout.laneX;
    const at = (x: number, atUs: number) => shapeAt(view(), x, scale.yOf(atUs), 7);
    const told = (x: number, atUs: number) => lineOf(at(x, atUs)!, run.picture);
    assert.deepEqual(told((n1! + n3!) / 2, 101_500), {
      atUs: 100_000,
      who: 'n3',
      text: '→ n1 vote term 2 (message 1, received after 3.00 ms)',
    });
    assert.equal(told(view().trackX(0), 165_000).who, 'c1');
    assert.equal(told(n3! + 8, 175_000).text, 'commit 5');
    assert.equal(at(n1!, 900_000), undefined);
  });

  it('hides members, sorts of messages and clients', () => {
    const filtered = view();
    filtered.hiddenGroups.add('heartbeat');
    filtered.hiddenMembers.add(1);
    filtered.areClientsHidden = true;
    filtered.relayout();
    const { drawn } = filtered.messages();
    assert.deepEqual(
      drawn.map(({ id }) => id),
      [1, 2],
    );
    assert.equal(filtered.layout.laneX[1], undefined);
    assert.equal(filtered.layout.clients.width, 0);
  });

  it('draws no routine when there is too much of it', () => {
    const small = view();
    small.resize(300, 2);
    const { all, drawn, isThinned } = small.messages();
    assert.equal(isThinned, true);
    assert.equal(all.length, 4);
    assert.deepEqual(
      drawn.map(({ type }) => type),
      ['vote'],
    );
  });

  it('goes from one moment of interest to the next', () => {
    const made = view();
    made.scale.show(0, 20_000);
    assert.equal(nextMoment(made, 'new leader', true), 110_000);
    assert.equal(nextMoment(made, 'member down', true), 200_000);
    assert.equal(nextMoment(made, 'lost message', true), 160_000);
    assert.equal(nextMoment(made, 'new leader', false), undefined);
  });
});
