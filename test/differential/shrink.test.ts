import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Difference } from './support/session.js';
import { shrink } from './support/shrink.js';
import type { Step } from './support/step.js';

const put = (key: string, more = {}): Step => ({ method: 'KV/Put', request: { key, ...more } });

/** Servers that differ in the answer to a Range once key `b` was written. */
async function trial(steps: readonly Step[]): Promise<Difference | undefined> {
  const written = steps.findIndex(
    ({ method, request }) => method === 'KV/Put' && request.key === 'b',
  );
  const seen = steps.findIndex(({ method }, i) => method === 'KV/Range' && i > written);
  if (written < 0 || seen < 0) return undefined;
  const step = steps[seen]!;
  const landmarks = { begin: 1, now: 1, compacted: 0, compactions: [], picked: [] };
  const { method, request } = step;
  const answers = { etcd: { message: { count: '1' } }, kvorum: { message: {} } };
  return { step, exchange: { method, request, landmarks, ended: [], ...answers } };
}

test('a list shrinks to the steps and fields that the difference needs', async () => {
  const range: Step = { method: 'KV/Range', request: { key: 'b', limit: 3, keys_only: true } };
  const others = Array.from({ length: 30 }, (_, i) => put(`a${i}`));
  const list = [...others, put('b', { value: 'x', prev_kv: true }), ...others, range, put('z')];
  const shrunk = await shrink(list, trial);
  assert.deepEqual(shrunk?.steps, [put('b'), { method: 'KV/Range', request: { key: 'b' } }]);
});

test('steps that only a part of a request needed go with that part', async () => {
  const put = (key: string): Step => ({ method: 'KV/Put', request: { key } });
  const range: Step = { method: 'KV/Range', request: { key: 'b', limit: 1 } };
  const needsBoth = async (steps: readonly Step[]) => {
    const limited = steps.some(({ request }) => request.limit !== undefined);
    const a = steps.some(({ request }) => request.key === 'a');
    return limited && !a ? undefined : trial(steps);
  };
  const shrunk = await shrink([put('a'), put('b'), range], needsBoth);
  assert.deepEqual(shrunk?.steps, [put('b'), { method: 'KV/Range', request: { key: 'b' } }]);
});

test('a list that shows no difference any more is not shrunk', async () => {
  assert.equal(await shrink([put('a')], trial), undefined);
});

test('nested transactions and copies give way to what is in them', async () => {
  const inner = { request_put: { key: 'k' } };
  const nested = { request_txn: { success: [{ $repeat: inner, times: 9 }, {}] } };
  const list: Step[] = [{ method: 'KV/Txn', request: { success: [nested, nested] } }];
  const holdsInner = async (steps: readonly Step[]) => {
    const [step] = steps;
    if (!JSON.stringify(steps).includes(JSON.stringify(inner))) return undefined;
    const range = await trial([put('b'), { method: 'KV/Range', request: {} }]);
    return { ...range!, step: step! };
  };
  const shrunk = await shrink(list, holdsInner);
  assert.deepEqual(shrunk?.steps, [{ method: 'KV/Txn', request: { success: [inner] } }]);
});
