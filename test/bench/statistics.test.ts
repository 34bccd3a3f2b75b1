import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram } from '../../bench/harness/histogram.js';
import type { FigureSpec, Line } from '../../bench/harness/line.js';
import { runCount } from '../../bench/harness/load.js';
import type { FigureResult } from '../../bench/harness/rounds.js';
import { meetsGoal, median, ratio, spread } from '../../bench/harness/statistics.js';
import { tableOf } from '../../bench/harness/table.js';

function figureOf(goal: FigureSpec['goal'], kvorum: number[], etcd: number[]): FigureResult {
  const spec = { name: 'put', unit: '/s', ...(goal === undefined ? {} : { goal }) };
  return { spec, kvorum, etcd };
}

test('medians and spreads of rounds', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(spread([90, 100, 120]), 0.3);
  assert.ok(Number.isNaN(median([])));
});

test('a goal is met, missed, or cannot be told', () => {
  assert.equal(ratio(figureOf(undefined, [10, 30, 20], [10])), 2);
  assert.equal(ratio(figureOf(undefined, [10], [])), undefined);
  assert.equal(meetsGoal(figureOf(undefined, [10], [10])), undefined);
  assert.equal(meetsGoal(figureOf({ atMost: 50 }, [50], [])), true);
  assert.equal(meetsGoal(figureOf({ atMost: 50 }, [51], [])), false);
  assert.equal(meetsGoal(figureOf({ ratioAtMost: 1 }, [9], [10])), true);
  assert.equal(meetsGoal(figureOf({ ratioAtMost: 1 }, [11], [10])), false);
  assert.equal(meetsGoal(figureOf({ ratioAtLeast: 2 }, [20], [10])), true);
  assert.equal(meetsGoal(figureOf({ ratioAtLeast: 2 }, [19], [10])), false);
  assert.equal(meetsGoal(figureOf({ ratioAtLeast: 2 }, [19], [])), undefined);
});

test('a table has a row a figure, with its goal and whether it is met', () => {
  const run: Line['run'] = () => Promise.reject(new Error('not run'));
  const line: Line = { name: 'puts', what: 'some puts', figures: [], run };
  const figures = [figureOf({ ratioAtLeast: 2 }, [3000, 1000, 2000], [1000, 1000, 1000])];
  const [head, , row] = tableOf({ line, figures }).split('\n');
  assert.equal(head, 'puts: some puts');
  assert.equal(row, '  put  2,000/s (100)  1,000/s (0)   2.00  ratio >= 2  ok');
});

test('quantiles are right to a hundredth, the longest exactly', () => {
  const latencies = new Histogram();
  for (let ms = 1; ms <= 1000; ms++) latencies.record(ms);
  for (const share of [0.5, 0.99]) {
    const error = latencies.quantileMs(share) / (share * 1000) - 1;
    assert.ok(error >= 0 && error < 0.0101, `${share}: off by ${error}`);
  }
  assert.equal(latencies.longestMs, 1000);
});

test('a counted load makes each request once, no more at a time than asked', async () => {
  const made: number[] = [];
  let running = 0;
  const { requests } = await runCount(3, 10, async (n) => {
    assert.ok(++running <= 3);
    made.push(n);
    await Promise.resolve();
    running--;
  });
  assert.equal(requests, 10);
  assert.deepEqual(made, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});
