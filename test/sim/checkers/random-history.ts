/** Concurrent histories of a right cluster: every request happens between its call and its answer. */
import fc from 'fast-check';
import type { RequestOp } from '../../../src/api/index.js';
import {
  deleteRequest,
  modRevisionIs,
  putRequest,
  rangeRequest,
  txnRequest,
  versionIs,
} from '../../../src/sim/workloads/requests.js';
import { Story } from './story.js';

const KEYS = ['a', 'b', 'c'];

/** What a client asks for; values are made unique when the story is told. */
type Ask =
  | { kind: 'put'; key: string; prevKv: boolean }
  | { kind: 'delete'; key: string; rangeEnd: string }
  | { kind: 'read'; key: string; rangeEnd: string; serializable: boolean; back: number }
  | { kind: 'swap'; key: string; expected: number; byVersion: boolean; other: string };

const key = fc.constantFrom(...KEYS);
const rangeEnd = fc.constantFrom('', '', 'c', '\0');
const ask: fc.Arbitrary<Ask> = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), key, prevKv: fc.boolean() }),
  fc.record({ kind: fc.constant('delete' as const), key, rangeEnd }),
  fc.record({
    kind: fc.constant('read' as const),
    key,
    rangeEnd,
    serializable: fc.boolean(),
    back: fc.constantFrom(0, 0, 0, 1),
  }),
  fc.record({
    kind: fc.constant('swap' as const),
    key,
    expected: fc.nat(4),
    byVersion: fc.boolean(),
    other: key,
  }),
);

/**
 * `steps`: which of the open requests goes on next. `fate`: does the client hear of it, and has it
 * happened when it does not?
 */
export const storyPlan = fc.record({
  asks: fc.array(
    fc.record({ ask, fate: fc.constantFrom('ok', 'ok', 'ok', 'lost', 'never' as const) }),
    { minLength: 1, maxLength: 25, size: 'max' },
  ),
  steps: fc.array(fc.nat(3), { maxLength: 80, size: 'max' }),
});
export type StoryPlan = typeof storyPlan extends fc.Arbitrary<infer T> ? T : never;

interface Open {
  readonly id: number;
  readonly fate: string;
  executed: boolean;
}

export function tell({ asks, steps }: StoryPlan): Story {
  const story = new Story();
  const open: Open[] = [];
  let asked = 0;
  let step = 0;
  while (asked < asks.length || open.length > 0) {
    story.nowMs += 1;
    const choice = steps[step++ % Math.max(steps.length, 1)] ?? 0;
    const one = open[choice - 1] ?? open[0];
    const mayAsk = asked < asks.length && open.length < 3;
    if (mayAsk && (choice === 0 || one === undefined)) {
      const { ask: what, fate } = asks[asked]!;
      const op = requestFor(story, what, asked++);
      open.push({ id: story.begin(op.kind, op.request), fate, executed: false });
    } else if (one !== undefined) goOn(story, one, open);
  }
  return story;
}

function goOn(story: Story, one: Open, open: Open[]): void {
  if (!one.executed && one.fate !== 'never') {
    story.execute(one.id);
    one.executed = true;
    return;
  }
  if (one.fate === 'ok') story.end(one.id);
  else story.lose(one.id);
  open.splice(open.indexOf(one), 1);
}

function requestFor(
  story: Story,
  ask: Ask,
  number: number,
): Extract<RequestOp, { kind: 'put' | 'range' | 'deleteRange' | 'txn' }> {
  switch (ask.kind) {
    case 'put':
      return { kind: 'put', request: putRequest(ask.key, `v${number}`, { prevKv: ask.prevKv }) };
    case 'delete':
      return {
        kind: 'deleteRange',
        request: deleteRequest(ask.key, { rangeEnd: ask.rangeEnd, prevKv: number % 2 === 0 }),
      };
    case 'read': {
      const revision = ask.back === 0 ? 0 : Math.max(1, story.machine.revision - ask.back);
      const { rangeEnd: end, serializable } = ask;
      return {
        kind: 'range',
        request: rangeRequest(ask.key, { rangeEnd: end, serializable, revision }),
      };
    }
    case 'swap': {
      const compare = ask.byVersion
        ? versionIs(ask.key, ask.expected)
        : modRevisionIs(ask.key, ask.expected);
      const success: RequestOp[] = [
        { kind: 'put', request: putRequest(ask.key, `s${number}`) },
        ...(ask.other === ask.key
          ? []
          : [{ kind: 'put' as const, request: putRequest(ask.other, `o${number}`) }]),
      ];
      const failure: RequestOp[] = [{ kind: 'range', request: rangeRequest(ask.key) }];
      return { kind: 'txn', request: txnRequest({ compare: [compare], success, failure }) };
    }
  }
}
