import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBackend } from '../../src/backend/index.js';
import { MalformedRecordError, mainOfRecordKey, recordKey } from '../../src/mvcc/index.js';
import { scanRecords } from '../../src/mvcc/scan.js';

async function slicesOf(backend: MemoryBackend, from = '', to?: string): Promise<number[][]> {
  const slices: number[][] = [];
  for await (const slice of scanRecords(backend, from, to)) {
    slices.push(slice.map(([key]) => mainOfRecordKey(key)));
  }
  return slices;
}

function filled(count: number, bytes: number): MemoryBackend {
  const backend = new MemoryBackend();
  for (let main = 0; main < count; main++) {
    backend.put('key', recordKey(main, 0), new Uint8Array(bytes));
  }
  return backend;
}

test('every record comes once, in order, between the bounds', async () => {
  const backend = filled(3000, 10);
  const all = (await slicesOf(backend)).flat();
  assert.deepEqual(
    all,
    Array.from({ length: 3000 }, (_, i) => i),
  );
  const part = (await slicesOf(backend, recordKey(10, 0), recordKey(2000, 0))).flat();
  assert.deepEqual([part[0], part.at(-1), part.length], [10, 1999, 1990]);
  assert.deepEqual(await slicesOf(new MemoryBackend()), []);
});

test('slices of large records are short, of small ones no longer than 500', async () => {
  const large = (await slicesOf(filled(200, 100_000))).map((slice) => slice.length);
  assert.ok(
    large.slice(1).every((length) => length <= 3),
    String(large),
  );
  const small = (await slicesOf(filled(3000, 1))).map((slice) => slice.length);
  assert.equal(Math.max(...small), 500);
});

test('a slice shows what was written before it was asked for', async () => {
  const backend = filled(100, 10);
  const seen: number[] = [];
  for await (const slice of scanRecords(backend, '', undefined)) {
    seen.push(...slice.map(([key]) => mainOfRecordKey(key)));
    if (seen.length < 100) backend.put('key', recordKey(100, 0), new Uint8Array());
  }
  assert.deepEqual([seen.at(-1), seen.length], [100, 101]);
});

test('a key that is no revision is refused', async () => {
  const backend = filled(3, 1);
  backend.put('key', recordKey(1, 0) + 'x', new Uint8Array());
  await assert.rejects(slicesOf(backend), MalformedRecordError);
});
