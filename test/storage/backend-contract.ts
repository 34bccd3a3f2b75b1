/** What src/backend/backend.ts promises, for any implementation. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  BUCKETS,
  type Backend,
  type BackendSnapshot,
  type Bucket,
  type Pair,
} from '../../src/backend/index.js';
import { bytesFromLatin1, latin1FromBytes } from '../../src/bytes/index.js';

/** One backend and what can happen to it. */
export interface BackendHarness {
  readonly backend: Backend;
  /** The same data in a new process after this one was killed; undefined when nothing survives that. */
  readonly afterKill?: () => Promise<BackendHarness>;
  close(): Promise<void>;
}

export function backendContract(
  name: string,
  make: () => Promise<BackendHarness>,
  numRuns: number,
): void {
  describe(`${name} keeps the backend contract`, () => {
    const withBackend = async (check: (backend: Backend) => Promise<void>) => {
      const harness = await make();
      try {
        await check(harness.backend);
      } finally {
        await harness.close();
      }
    };

    it('reads unflushed writes, the newest first', () =>
      withBackend(async (backend) => {
        backend.put('key', 'a', bytes('1'));
        const commit = backend.commit();
        backend.put('key', 'a', bytes('2'));
        assert.equal(text(backend.get('key', 'a')), '2');
        await commit;
        assert.equal(text(backend.get('key', 'a')), '2');
        backend.delete('key', 'a');
        assert.equal(backend.get('key', 'a'), undefined);
      }));

    it('keeps buckets apart', () =>
      withBackend(async (backend) => {
        for (const bucket of BUCKETS) backend.put(bucket, 'same', bytes(bucket));
        await backend.commit();
        for (const bucket of BUCKETS) {
          assert.equal(text(backend.get(bucket, 'same')), bucket);
          assert.deepEqual(pairsText(await backend.scan(bucket, { from: '', limit: 10 })), [
            ['same', bucket],
          ]);
        }
      }));

    it('scans in byte order, with an exclusive end and a limit', () =>
      withBackend(async (backend) => {
        const keys = ['', '\x00', 'a', 'a\x00', 'a\xff', 'b', '\xff', '\xff\xff'];
        for (const key of keys.toReversed()) backend.put('key', key, bytes(key));
        for (const flushed of [false, true]) {
          if (flushed) await backend.commit();
          const scan = async (from: string, to: string | undefined, limit: number) =>
            (
              await backend.scan('key', to === undefined ? { from, limit } : { from, to, limit })
            ).map(([key]) => key);
          assert.deepEqual(await scan('', undefined, 100), keys);
          assert.deepEqual(await scan('a', 'b', 100), ['a', 'a\x00', 'a\xff']);
          assert.deepEqual(await scan('a', undefined, 2), ['a', 'a\x00']);
          assert.deepEqual(await scan('b', 'a', 100), []);
          assert.deepEqual(await scan('a', 'a', 100), []);
          assert.deepEqual(await scan('', undefined, 0), []);
        }
      }));

    it('scans as of the call', () =>
      withBackend(async (backend) => {
        backend.put('key', 'a', bytes('1'));
        backend.put('key', 'b', bytes('1'));
        await backend.commit();
        const scan = backend.scan('key', { from: '', limit: 10 });
        backend.put('key', 'a', bytes('2'));
        backend.delete('key', 'b');
        await backend.commit();
        assert.deepEqual(pairsText(await scan), [
          ['a', '1'],
          ['b', '1'],
        ]);
      }));

    it('runs the handlers before each commit and writes what they add', () =>
      withBackend(async (backend) => {
        let commits = 0;
        backend.beforeCommit(() => backend.put('meta', 'count', bytes(String(++commits))));
        await backend.commit();
        await Promise.all([backend.commit(), backend.commit({ durable: true }), backend.commit()]);
        assert.ok(commits >= 2, `handlers ran ${commits} times`);
        assert.equal(text(backend.get('meta', 'count')), String(commits));
        assert.equal(backend.pendingOps, 0);
        assert.equal(backend.pendingBytes, 0);
      }));

    it('counts what is pending', () =>
      withBackend(async (backend) => {
        assert.equal(backend.pendingOps, 0);
        backend.put('key', 'abc', bytes('12345'));
        backend.delete('key', 'd');
        assert.equal(backend.pendingOps, 2);
        assert.equal(backend.pendingBytes, 9);
        await backend.commit();
        assert.equal(backend.pendingOps, 0);
        assert.equal(backend.pendingBytes, 0);
      }));

    it('tells its sizes', () =>
      withBackend(async (backend) => {
        assert.ok(backend.sizeBytes() > 0);
        assert.equal(backend.sizeInUseBytes(), 0);
        for (let i = 0; i < 200; i++) backend.put('key', `k${i % 100}`, new Uint8Array(1000));
        await backend.commit();
        const expected = 100 * 1000 + 10 * 2 + 90 * 3;
        assert.equal(backend.sizeInUseBytes(), expected);
        assert.ok(backend.sizeBytes() >= expected, `${backend.sizeBytes()} bytes on disk`);
        for (let i = 0; i < 100; i++) backend.delete('key', `k${i}`);
        backend.delete('key', 'never');
        await backend.commit();
        assert.equal(backend.sizeInUseBytes(), 0);
        await backend.defragment();
        assert.ok(backend.sizeBytes() > 0 && backend.sizeBytes() < expected);
      }));

    it('loses nothing when it gives back memory, committed or not', () =>
      withBackend(async (backend) => {
        backend.put('key', 'a', bytesFromLatin1('committed'));
        await backend.commit();
        backend.put('key', 'b', bytesFromLatin1('pending'));
        await backend.releaseMemory();
        backend.put('key', 'c', bytesFromLatin1('after'));
        await backend.commit({ durable: true });
        assert.deepEqual(
          (await backend.scan('key', { from: '', limit: 9 })).map(([key, value]) => [
            key,
            latin1FromBytes(value),
          ]),
          [
            ['a', 'committed'],
            ['b', 'pending'],
            ['c', 'after'],
          ],
        );
        assert.equal(latin1FromBytes(backend.get('key', 'a')!), 'committed');
      }));

    it('replaces everything at once', () =>
      withBackend(async (backend) => {
        backend.put('key', 'old', bytes('1'));
        await backend.commit();
        backend.put('lease', 'pending', bytes('2'));
        const before = backend.snapshot();
        await backend.replace(
          asAsync([
            ['key', ['new', bytes('3')]],
            ['meta', ['index', bytes('4')]],
          ]),
        );
        assert.equal(backend.get('key', 'old'), undefined);
        assert.equal(backend.get('lease', 'pending'), undefined);
        assert.equal(text(backend.get('key', 'new')), '3');
        assert.equal(backend.pendingOps, 0);
        assert.equal(backend.sizeInUseBytes(), 'new3index4'.length);
        const options = { from: '', limit: 10 };
        assert.deepEqual(pairsText(await before.scan('key', options)), [['old', '1']]);
        assert.deepEqual(pairsText(await before.scan('lease', options)), [['pending', '2']]);
        await before.close();
        backend.put('key', 'more', bytes('5'));
        await backend.commit();
        assert.equal(text(backend.get('key', 'more')), '5');
      }));

    it('keeps the old content when the new one fails to arrive', () =>
      withBackend(async (backend) => {
        backend.put('key', 'old', bytes('1'));
        async function* broken(): AsyncGenerator<readonly [Bucket, Pair]> {
          yield ['key', ['new', bytes('2')]];
          throw new Error('the sender is gone');
        }
        await assert.rejects(backend.replace(broken()), /the sender is gone/);
        assert.equal(text(backend.get('key', 'old')), '1');
        assert.equal(backend.get('key', 'new'), undefined);
        await backend.commit();
        assert.equal(text(backend.get('key', 'old')), '1');
      }));

    it('behaves as maps do, whatever happens in between', () =>
      fc.assert(
        fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 60 }), async (steps) => {
          const run = new ModelRun(await make());
          try {
            for (const step of steps) await run.take(step);
            await run.checkAll();
          } finally {
            await run.close();
          }
        }),
        { numRuns },
      ));
  });
}

type Step =
  | { kind: 'put'; bucket: Bucket; key: string; value: string }
  | { kind: 'delete'; bucket: Bucket; key: string }
  | { kind: 'get'; bucket: Bucket; key: string }
  | { kind: 'scan'; bucket: Bucket; from: string; to: string | undefined; limit: number }
  | { kind: 'commit'; durable: boolean; wait: boolean }
  | { kind: 'freeze' }
  | { kind: 'thaw' }
  | { kind: 'replace' }
  | { kind: 'defragment' }
  | { kind: 'kill' };

const key = fc.string({ unit: fc.constantFrom('\x00', 'a', 'b', '\xff'), maxLength: 3 });
const bucket = fc.constantFrom<Bucket>('alarm', 'key', 'lease', 'meta');
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      bucket,
      key,
      value: fc.string({ unit: fc.constantFrom('x', 'y', '\x00'), maxLength: 5 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('delete' as const), bucket, key }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('get' as const), bucket, key }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('scan' as const),
      bucket,
      from: key,
      to: fc.option(key, { nil: undefined }),
      limit: fc.integer({ min: 0, max: 6 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      durable: fc.boolean(),
      wait: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'freeze' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'thaw' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'replace' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'defragment' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'kill' as const }) },
);

type Content = Map<Bucket, Map<string, string>>;

/** A backend and, beside it, maps that say what it must hold. */
class ModelRun {
  #harness: BackendHarness;
  #now: Content = emptyContent();
  #committed: Content = emptyContent();
  #commit: Promise<void> = Promise.resolve();
  #frozen: { snapshot: BackendSnapshot; content: Content }[] = [];

  constructor(harness: BackendHarness) {
    this.#harness = harness;
  }

  async take(step: Step): Promise<void> {
    const { backend } = this.#harness;
    switch (step.kind) {
      case 'put':
        this.#now.get(step.bucket)!.set(step.key, step.value);
        return backend.put(step.bucket, step.key, bytes(step.value));
      case 'delete':
        this.#now.get(step.bucket)!.delete(step.key);
        return backend.delete(step.bucket, step.key);
      case 'get':
        return this.#checkGet(step.bucket, step.key);
      case 'scan':
        return this.#checkScan(step);
      case 'commit':
        await this.#commit;
        this.#committed = copyContent(this.#now);
        this.#commit = backend.commit({ durable: step.durable });
        return step.wait ? this.#commit : undefined;
      case 'freeze':
        this.#frozen.push({ snapshot: backend.snapshot(), content: copyContent(this.#now) });
        return undefined;
      case 'thaw':
        return this.#thaw();
      case 'replace':
        return this.#replace();
      case 'defragment':
        await this.#commit;
        this.#committed = copyContent(this.#now);
        return backend.defragment();
      case 'kill':
        return this.#kill();
    }
  }

  /** All of the content, and the size that it implies. */
  async checkAll(): Promise<void> {
    await this.#commit;
    await this.#harness.backend.commit();
    await checkContent(this.#harness.backend, this.#now);
    assert.equal(this.#harness.backend.sizeInUseBytes(), contentBytes(this.#now));
  }

  async close(): Promise<void> {
    while (this.#frozen.length > 0) await this.#thaw();
    await this.#harness.close();
  }

  #checkGet(where: Bucket, name: string): void {
    assert.equal(text(this.#harness.backend.get(where, name)), this.#now.get(where)!.get(name));
  }

  async #checkScan(step: Step & { kind: 'scan' }): Promise<void> {
    const { from, to, limit } = step;
    const options = to === undefined ? { from, limit } : { from, to, limit };
    const expected = sortedPairs(this.#now.get(step.bucket)!)
      .filter(([name]) => name >= from && (to === undefined || name < to))
      .slice(0, limit);
    const found = await this.#harness.backend.scan(step.bucket, options);
    assert.deepEqual(pairsText(found), expected);
  }

  async #thaw(): Promise<void> {
    const frozen = this.#frozen.shift();
    if (frozen === undefined) return;
    await checkContent(frozen.snapshot, frozen.content);
    await frozen.snapshot.close();
  }

  async #replace(): Promise<void> {
    await this.#commit;
    const rotated = copyContent(this.#now);
    rotated.get('key')!.set('replaced', 'yes');
    const pairs = [...rotated].flatMap(([where, content]) =>
      [...content].map(([name, value]) => [where, [name, bytes(value)]] as const),
    );
    await this.#harness.backend.replace(asAsync(pairs));
    this.#now = rotated;
    this.#committed = copyContent(rotated);
  }

  async #kill(): Promise<void> {
    if (this.#harness.afterKill === undefined) return;
    await this.#commit;
    while (this.#frozen.length > 0) await this.#thaw();
    const next = await this.#harness.afterKill();
    await this.#harness.close();
    this.#harness = next;
    this.#now = copyContent(this.#committed);
    await checkContent(next.backend, this.#now);
    assert.equal(next.backend.sizeInUseBytes(), contentBytes(this.#now));
  }
}

async function checkContent(
  source: Pick<BackendSnapshot, 'scan'>,
  content: Content,
): Promise<void> {
  for (const [where, expected] of content) {
    const found = await source.scan(where, { from: '', limit: 1000 });
    assert.deepEqual(pairsText(found), sortedPairs(expected));
  }
}

function emptyContent(): Content {
  return new Map(BUCKETS.map((name) => [name, new Map()]));
}

function copyContent(content: Content): Content {
  return new Map([...content].map(([name, pairs]) => [name, new Map(pairs)]));
}

function contentBytes(content: Content): number {
  let sum = 0;
  for (const pairs of content.values()) {
    for (const [name, value] of pairs) sum += name.length + value.length;
  }
  return sum;
}

function sortedPairs(content: Map<string, string>): [string, string][] {
  return [...content].sort((a, b) => (a[0] < b[0] ? -1 : 1));
}

function pairsText(pairs: readonly Pair[]): [string, string][] {
  return pairs.map(([name, value]) => [name, latin1FromBytes(value)]);
}

function bytes(value: string): Uint8Array {
  return bytesFromLatin1(value);
}

function text(value: Uint8Array | undefined): string | undefined {
  return value && latin1FromBytes(value);
}

async function* asAsync<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
