/** What a lease promises, each clause broken once. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  checkLeaseGuarantees,
  type LeaseCheckOptions,
} from '../../../src/sim/checkers/lease-guarantees.js';
import { Story, header, promises, spoilAnswer } from './story.js';
import { putRequest } from '../../../src/sim/workloads/requests.js';

const LEASE = 7n;

function broken(story: Story, options: Partial<LeaseCheckOptions> = {}, history = story.history) {
  return promises(
    checkLeaseGuarantees(history, story.truth, {
      clockDrift: 0.01,
      extensionMs: 1000,
      appliedAtMs: (index) => story.appliedAtMs[index],
      ...options,
    }),
  );
}

/** A lease of 10 seconds, asked for at 0 ms, with keys a and b. */
function granted(): Story {
  const story = new Story();
  story.do('leaseGrant', { id: LEASE, ttl: 10 });
  story.put('a', '1', { lease: LEASE });
  story.put('b', '1', { lease: LEASE });
  return story;
}

function renewAt(story: Story, ms: number): number {
  story.nowMs = ms;
  return story.do('leaseKeepAlive', { id: LEASE });
}

function expireAt(story: Story, ms: number): void {
  story.nowMs = ms;
  story.happen({ kind: 'leaseRevoke', request: { id: LEASE } });
}

describe('a lease that', () => {
  test('runs out in time, as fast as a clock may run, breaks nothing', () => {
    const story = granted();
    expireAt(story, 10_000 / 1.01 + 1);
    story.nowMs = 11_000;
    story.do('leaseKeepAlive', { id: LEASE });
    assert.deepEqual(broken(story), []);
  });

  test('is renewed and lives on breaks nothing', () => {
    const story = granted();
    renewAt(story, 6_000);
    renewAt(story, 12_000);
    expireAt(story, 22_000);
    assert.deepEqual(broken(story), []);
  });

  test('a client revokes breaks nothing', () => {
    const story = granted();
    story.do('leaseRevoke', { id: LEASE });
    story.do('leaseKeepAlive', { id: LEASE });
    assert.deepEqual(broken(story), []);
  });

  test('a client may have revoked breaks nothing', () => {
    const story = granted();
    const revoke = story.begin('leaseRevoke', { id: LEASE });
    story.lose(revoke);
    expireAt(story, 5_000);
    story.do('leaseKeepAlive', { id: LEASE });
    assert.deepEqual(broken(story), []);
  });

  test('is granted again under its id is judged by its answers only', () => {
    const story = granted();
    story.do('leaseRevoke', { id: LEASE });
    story.do('leaseGrant', { id: LEASE, ttl: 10 });
    story.put('a', '2', { lease: LEASE });
    story.do('leaseRevoke', { id: LEASE });
    assert.deepEqual(broken(story), []);
  });
});

describe('lease-not-early', () => {
  test('expired before the grant allows', () => {
    const story = granted();
    expireAt(story, 9_000);
    assert.deepEqual(broken(story), ['lease-not-early']);
    assert.deepEqual(broken(story, { clockDrift: 0.2 }), []);
  });

  test('expired before an acknowledged renewal allows, whoever gave it', () => {
    const story = granted();
    renewAt(story, 9_000);
    expireAt(story, 12_000);
    assert.deepEqual(broken(story), ['lease-not-early']);
  });

  test('a renewal under way when it expired counts too', () => {
    const story = granted();
    story.nowMs = 9_000;
    const renewal = story.begin('leaseKeepAlive', { id: LEASE });
    story.execute(renewal);
    expireAt(story, 12_000);
    story.end(renewal);
    assert.deepEqual(broken(story), ['lease-not-early']);
  });

  test('a renewal of unknown outcome promises nothing', () => {
    const story = granted();
    story.nowMs = 9_000;
    story.lose(story.begin('leaseKeepAlive', { id: LEASE }));
    expireAt(story, 12_000);
    assert.deepEqual(broken(story), []);
  });

  describe('without a log', () => {
    const seenAt = (story: Story, ms: number) => {
      const revision = story.truth.timeline.currentRevision;
      const seenAtMs = (at: number) => (at === revision ? ms : undefined);
      return promises(
        checkLeaseGuarantees(
          story.history,
          { timeline: story.truth.timeline },
          { clockDrift: 0.01, extensionMs: 1000, seenAtMs },
        ),
      );
    };

    test('its keys were seen to go before it allows', () => {
      const story = granted();
      expireAt(story, 9_000);
      assert.deepEqual(seenAt(story, 9_100), ['lease-not-early']);
    });

    test('its keys were seen to go when it may have ended', () => {
      const story = granted();
      expireAt(story, 9_000);
      assert.deepEqual(seenAt(story, 11_000), []);
    });

    test('a client may have deleted just its keys', () => {
      const story = granted();
      story.delete('a', { rangeEnd: 'c' });
      assert.deepEqual(seenAt(story, 100), []);
    });
  });
});

describe('lease-alive', () => {
  const gone = { header: header(1), id: LEASE };

  test('a renewal is told that it is gone', () => {
    const story = granted();
    story.nowMs = 5_000;
    const renewal = story.begin('leaseKeepAlive', { id: LEASE });
    story.end(renewal, { kind: 'ok', response: { ...gone, ttl: 0 } });
    assert.deepEqual(broken(story), ['lease-alive']);
  });

  test('a time-to-live says that it is gone after a renewal', () => {
    const story = granted();
    renewAt(story, 9_000);
    story.nowMs = 15_000;
    const asked = story.begin('leaseTimeToLive', { id: LEASE, keys: false });
    const response = { ...gone, ttl: -1, grantedTtl: 0, keys: [] };
    story.end(asked, { kind: 'ok', response });
    assert.deepEqual(broken(story), ['lease-alive']);
  });

  test('before its grant it may be gone', () => {
    const story = new Story();
    const early = story.do('leaseKeepAlive', { id: LEASE });
    assert.equal(story.history.operations[early]!.outcome.kind, 'ok');
    story.do('leaseGrant', { id: LEASE, ttl: 10 });
    assert.deepEqual(broken(story), []);
  });
});

describe('lease-revoked-once', () => {
  test('two clients have revoked it', () => {
    const story = granted();
    story.do('leaseRevoke', { id: LEASE });
    const again = story.begin('leaseRevoke', { id: LEASE });
    story.end(again, { kind: 'ok', response: { header: header(4) } });
    assert.deepEqual(broken(story), ['lease-revoked-once']);
  });
});

describe('lease-takes-keys', () => {
  test('keys stay behind', () => {
    const story = granted();
    const revoke = story.begin('leaseRevoke', { id: LEASE });
    story.end(revoke, { kind: 'ok', response: { header: header(3) } });
    assert.deepEqual(broken(story), ['lease-takes-keys']);
  });

  test('something else goes with them', () => {
    const story = granted();
    story.put('aa', '1');
    const revoke = story.begin('leaseRevoke', { id: LEASE });
    const request = { key: 'a', rangeEnd: 'c', prevKv: false };
    story.happen({ kind: 'deleteRange', request });
    story.end(revoke, { kind: 'ok', response: { header: header(5) } });
    assert.deepEqual(broken(story), ['lease-takes-keys']);
  });

  test('a key is put under it afterwards', () => {
    const story = granted();
    story.do('leaseRevoke', { id: LEASE });
    const { timeline } = story.machine;
    const kv = { key: 'z', createRevision: 5, modRevision: 5, version: 1, value: '', lease: LEASE };
    timeline.append([{ type: 'put', kv }]);
    assert.deepEqual(broken(story), ['lease-takes-keys']);
  });
});

describe('lease-ttl', () => {
  test('a renewal gives another time than the grant', () => {
    const story = granted();
    const renewal = renewAt(story, 1_000);
    const history = spoilAnswer(story.history, renewal, (response) => response.ttl--);
    assert.deepEqual(broken(story, {}, history), ['lease-ttl']);
  });

  test('more is left than a new leader may give', () => {
    const story = granted();
    for (const ttl of [11, 12]) {
      const asked = story.begin('leaseTimeToLive', { id: LEASE, keys: false });
      const response = { header: header(1), id: LEASE, ttl, grantedTtl: 10, keys: [] };
      story.end(asked, { kind: 'ok', response });
      assert.deepEqual(broken(story), ttl === 11 ? [] : ['lease-ttl']);
    }
  });
});

describe('lease-expires', () => {
  test('nobody renews it and it stays', () => {
    const story = granted();
    renewAt(story, 5_000);
    assert.deepEqual(broken(story, { settled: { sinceMs: 0, endMs: 26_000 } }), []);
    assert.deepEqual(broken(story, { settled: { sinceMs: 0, endMs: 27_000 } }), ['lease-expires']);
    assert.deepEqual(broken(story, { settled: { sinceMs: 9_000, endMs: 27_000 } }), []);
    story.nowMs = 7_000;
    const lost = story.begin('leaseKeepAlive', { id: LEASE });
    assert.deepEqual(broken(story, { settled: { sinceMs: 0, endMs: 60_000 } }), []);
    story.lose(lost);
    assert.deepEqual(broken(story, { settled: { sinceMs: 0, endMs: 27_000 } }), []);
    assert.deepEqual(broken(story, { settled: { sinceMs: 0, endMs: 29_000 } }), ['lease-expires']);
    expireAt(story, 16_000);
    assert.deepEqual(broken(story, { settled: { sinceMs: 0, endMs: 60_000 } }), []);
  });
});

/** Renewals at some pace, then an expiry some time after the last. */
const life = fc.record({
  pausesMs: fc.array(fc.integer({ min: 1, max: 9_800 }), { maxLength: 6 }),
  lastMs: fc.integer({ min: 0, max: 30_000 }),
});

test('an expiry is early exactly if it comes within the time of the last renewal', () => {
  fc.assert(
    fc.property(life, ({ pausesMs, lastMs }) => {
      const story = new Story();
      story.do('leaseGrant', { id: LEASE, ttl: 10 });
      story.happen({ kind: 'put', request: putRequest('a', '1', { lease: LEASE }) });
      let promisedMs = 10_000;
      for (const pauseMs of pausesMs) {
        const id = renewAt(story, story.nowMs + pauseMs);
        promisedMs = story.history.operations[id]!.invoked.ms + 10_000;
      }
      const atMs = story.nowMs + 1 + lastMs;
      expireAt(story, atMs);
      const early = atMs < promisedMs;
      assert.deepEqual(broken(story, { clockDrift: 0 }), early ? ['lease-not-early'] : []);
    }),
    { numRuns: 200 },
  );
});
