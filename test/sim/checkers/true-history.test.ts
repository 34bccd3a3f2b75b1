/** Replayed logs, watched events and the timeline agree. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AlarmAction, AlarmType, type InternalOp } from '../../../src/api/index.js';
import { internalRequest } from '../../../src/codec/index.js';
import { EntryType, type Entry } from '../../../src/raft/index.js';
import { canonical } from '../../../src/sim/checkers/canonical.js';
import {
  ReferenceMachine,
  historyOfEvents,
  replay,
} from '../../../src/sim/checkers/true-history.js';
import { putRequest } from '../../../src/sim/workloads/requests.js';
import { internalOp } from './arbitraries.js';

const EVERYTHING = { from: '', to: '\u0100' };

function entryOf(op: InternalOp, index: number): Entry {
  const request = { id: BigInt(index), username: '', authRevision: 0, op };
  return { type: EntryType.normal, term: 1, index, data: internalRequest.encode(request) };
}

test('a log replayed and its events watched are one history', () => {
  fc.assert(
    fc.property(fc.array(internalOp, { maxLength: 20 }), (ops) => {
      const noop: Entry = { type: EntryType.normal, term: 1, index: 1, data: new Uint8Array(0) };
      const replayed = replay([noop, ...ops.map((op, i) => entryOf(op, i + 2))]);
      const { timeline } = replayed;
      const revisions = Array.from({ length: timeline.currentRevision }, (_, i) => i + 1);
      const watched = historyOfEvents(revisions.flatMap((at) => timeline.eventsOf(at))).timeline;
      assert.equal(watched.currentRevision, timeline.currentRevision);
      for (const revision of revisions) {
        assert.deepEqual(
          watched.pairsAt(revision, EVERYTHING),
          timeline.pairsAt(revision, EVERYTHING),
        );
      }
      assert.equal(replayed.applied!.length, ops.length);
      const changes = replayed.applied!.filter(({ changed }) => changed).length;
      assert.equal(changes, timeline.currentRevision - 1);
    }),
  );
});

test('alarms refuse what they refuse', () => {
  const machine = new ReferenceMachine();
  const alarm = (action: number, kind: number): InternalOp => ({
    kind: 'alarm',
    request: { action, memberId: 1n, alarm: kind },
  });
  const put: InternalOp = { kind: 'put', request: putRequest('a', '1') };
  const remove: InternalOp = {
    kind: 'deleteRange',
    request: { key: 'a', rangeEnd: '', prevKv: false },
  };
  machine.apply(alarm(AlarmAction.activate, AlarmType.noSpace));
  assert.equal(machine.apply(put), 'noSpace');
  assert.equal(machine.apply(remove), undefined);
  machine.apply(alarm(AlarmAction.activate, AlarmType.corrupt));
  assert.equal(machine.apply(remove), 'corrupt');
  machine.apply(alarm(AlarmAction.deactivate, AlarmType.noSpace));
  machine.apply(alarm(AlarmAction.deactivate, AlarmType.corrupt));
  assert.equal(machine.apply(put), undefined);
  assert.equal(machine.revision, 2);
});

test('canonical text is equal for equal values only', () => {
  assert.equal(canonical({ b: 1n, a: undefined, c: ['x'] }), canonical({ c: ['x'], b: 1n }));
  assert.notEqual(canonical({ a: 1n }), canonical({ a: 1 }));
  assert.notEqual(canonical({ a: '1' }), canonical({ a: 1 }));
  assert.notEqual(canonical([['a'], 'b']), canonical(['a', ['b']]));
});
