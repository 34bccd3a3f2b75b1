import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Trace, type TraceEvent, traceLine } from '../../src/sim/trace.js';

function hashOf(record: (trace: Trace) => void, listener?: (event: TraceEvent) => void): string {
  const trace = new Trace(() => 1_234_567, listener);
  record(trace);
  return trace.hash;
}

describe('a trace', () => {
  it('has one hash for the same events, heard or not', () => {
    const record = (trace: Trace) => trace.record('send', 'n1', 'n2', 5, 7n, true);
    const events: TraceEvent[] = [];
    assert.equal(
      hashOf(record),
      hashOf(record, (event) => void events.push(event)),
    );
    assert.equal(events.length, 1);
  });

  it('has another hash when anything differs', () => {
    const hashes = [
      hashOf(() => {}),
      hashOf((trace) => trace.record('send', 'n1', 'a', 1)),
      hashOf((trace) => trace.record('send', 'n2', 'a', 1)),
      hashOf((trace) => trace.record('drop', 'n1', 'a', 1)),
      hashOf((trace) => trace.record('send', 'n1', 'b', 1)),
      hashOf((trace) => trace.record('send', 'n1', 'a', 2)),
      hashOf((trace) => trace.record('send', 'n1', 'a', 1.5)),
      hashOf((trace) => trace.record('send', 'n1', 'a', 1n << 63n)),
      hashOf((trace) => trace.record('send', 'n1', 'x'.repeat(60))),
      hashOf((trace) => trace.record('send', 'n1', `${'x'.repeat(59)}y`)),
    ];
    assert.equal(new Set(hashes).size, hashes.length);
  });

  it('reads as one line an event', () => {
    const event: TraceEvent = {
      atUs: 1_234_567,
      kind: 'send',
      who: 'n1',
      details: [12, 'n2', 'append', 'term', 3, 255n],
    };
    assert.equal(traceLine(event), '   1.234567 n1   send    12 n2 append term 3 ff');
  });
});
