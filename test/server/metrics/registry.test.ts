import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { exponentialBounds, Histogram, Registry } from '../../../src/server/metrics/registry.js';

describe('the metrics page', () => {
  it('is Prometheus’ text, sorted by name', () => {
    const registry = new Registry();
    const seconds = registry.histogram('b_seconds', 'Time.', [0.5, 1]);
    const calls = registry.counters('c_total', 'Calls.', ['method', 'code']);
    registry.read('a_gauge', 'Now.', 'gauge', () => 7);
    registry.readEach('d_info', 'Version.', 'gauge', ['v'], () => [[['3.6'], 1]]);
    for (const value of [0.5, 0.6, 2]) seconds.observe(value);
    calls.with('Put', 'OK').value += 2;
    calls.with('a"b\\\n', 'OK').value++;
    assert.equal(
      registry.page(),
      [
        '# HELP a_gauge Now.',
        '# TYPE a_gauge gauge',
        'a_gauge 7',
        '# HELP b_seconds Time.',
        '# TYPE b_seconds histogram',
        'b_seconds_bucket{le="0.5"} 1',
        'b_seconds_bucket{le="1"} 2',
        'b_seconds_bucket{le="+Inf"} 3',
        'b_seconds_sum 3.1',
        'b_seconds_count 3',
        '# HELP c_total Calls.',
        '# TYPE c_total counter',
        'c_total{method="Put",code="OK"} 2',
        'c_total{method="a\\"b\\\\\\n",code="OK"} 1',
        '# HELP d_info Version.',
        '# TYPE d_info gauge',
        'd_info{v="3.6"} 1',
        '',
      ].join('\n'),
    );
  });

  it('leaves out what has no members, and takes no name twice', () => {
    const registry = new Registry();
    registry.counters('a_total', 'A.', ['x']);
    assert.equal(registry.page(), '');
    assert.throws(() => registry.counter('a_total', 'A.'), /exists already/);
  });

  it('gives the same member for the same labels', () => {
    const family = new Registry().counters('a_total', 'A.', ['x', 'y']);
    assert.equal(family.with('1', '2'), family.with('1', '2'));
    assert.notEqual(family.with('12', ''), family.with('1', '2'));
  });
});

describe('a histogram', () => {
  it('counts each value once, in the bucket whose bound is the first not below it', () => {
    const bounds = exponentialBounds(0.001, 2, 14);
    assert.equal(bounds.at(-1), 8.192);
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 20, noNaN: true })), (values) => {
        const histogram = new Histogram(bounds);
        for (const value of values) histogram.observe(value);
        const expected = [...bounds, Infinity].map(
          (bound, i) =>
            values.filter((value) => value <= bound && (i === 0 || value > bounds[i - 1]!)).length,
        );
        assert.deepEqual([...histogram.counts], expected);
      }),
    );
  });
});
