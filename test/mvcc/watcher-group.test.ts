import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBackend } from '../../src/backend/index.js';
import { openStore, putRequest, watchRequest } from './support.js';

test('ten thousand keys and ten thousand ranges watched: an event costs its matches only', async () => {
  const { store } = await openStore({ backend: new MemoryBackend() });
  let events = 0;
  const stream = store.watch.openStream({
    deliver: ({ kind }) => {
      if (kind === 'events') events++;
      return true;
    },
  });
  const name = (i: number) => `/k/${String(i).padStart(6, '0')}`;
  for (let i = 0; i < 10_000; i++) {
    stream.create(watchRequest({ key: name(i), rangeEnd: '' }));
    stream.create(watchRequest({ key: name(i), rangeEnd: name(i + 3) }));
  }
  for (let i = 0; i < 5000; i++) store.put(putRequest({ key: name(i * 2 + 5) }));
  // A key is in one single watch and in three ranges; of the last two, one is in one range still.
  assert.equal(events, 4998 * 4 + 1);
  for (let i = 0; i < 20_000; i += 2) stream.cancel(BigInt(i));
  events = 0;
  store.put(putRequest({ key: name(500) }));
  assert.equal(events, 3);
});
