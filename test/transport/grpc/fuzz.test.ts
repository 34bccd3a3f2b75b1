import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fuzz } from './fuzz.js';

const seed = Number(process.env['KVORUM_FUZZ_SEED'] ?? Date.now() % 1_000_000);

it(`changed frames do no harm (seed ${seed})`, async () => {
  assert.ok((await fuzz(2_000, seed)) > 10);
});
