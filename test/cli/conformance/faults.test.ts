/** The checks see the faults they are there for, and say how to see them again. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type {
  PutResponse,
  RangeResponse,
  TxnResponse,
  WatchResponse,
} from '../../../src/api/index.js';
import { KVORUMCTL } from '../../../src/cli/ctl-commands.js';
import { open, type Kvorum } from '../../../src/embed/index.js';
import { startFaultyProxy, type Faults, type FaultyProxy } from '../support/faulty-proxy.js';
import { run, type Shown } from '../support/run.js';

let store: Kvorum;
let target: string;
let proxy: FaultyProxy | undefined;

before(async () => {
  store = await open({ memory: true });
  target = `127.0.0.1:${(await store.listen('http://127.0.0.1:0')).port}`;
});

after(async () => {
  await store.close();
});

interface Told {
  name: string;
  result: string;
  failure?: { what: string; requests: string[]; expected: string; got: string };
  oddity?: { name: string };
}

async function check(
  faults: Faults,
  only: string,
  ...flags: string[]
): Promise<{ shown: Shown; checks: Told[] }> {
  proxy = await startFaultyProxy(target, faults);
  try {
    const line = ['check', 'conformance', `--endpoints=${proxy.endpoint}`, `--only=${only}`];
    const shown = await run(KVORUMCTL, [...line, '-w', 'json', ...flags]);
    return { shown, checks: JSON.parse(shown.stdout).checks };
  } finally {
    proxy.stop();
  }
}

/** The failure of the one check that `faults` must make fail. */
async function failureOf(
  faults: Faults,
  only: string,
  ...flags: string[]
): Promise<Required<Told>['failure']> {
  const { shown, checks } = await check(faults, only, ...flags);
  assert.equal(shown.code, 1, shown.stdout);
  assert.deepEqual(
    checks.map(({ name, result }) => [name, result]),
    [[only, 'fail']],
  );
  return checks[0]!.failure!;
}

describe('a fault is seen', () => {
  test('a proxy without one is as good as the server', async () => {
    const { shown, checks } = await check({}, 'put,delete');
    assert.equal(shown.code, 0, shown.stdout);
    assert.ok(checks.length > 20);
    assert.ok(checks.every(({ result }) => result === 'pass'));
  });

  test('no revision in the headers inside a transaction', async () => {
    const txn = (answer: TxnResponse): TxnResponse => {
      for (const op of answer.responses) delete op.response.header;
      return answer;
    };
    const failure = await failureOf({ txn }, 'txn/nested-header-revision');
    assert.equal(failure.what, 'their revisions');
    assert.equal(failure.got, '[undefined, undefined, undefined]');
    assert.deepEqual(failure.requests.slice(0, 1), ['Put {key: "P/b", value: "1"}']);
    assert.match(failure.requests[1]!, /^Txn \{success: \[\{kind: "put", request: \{key: "P\/a"/);
    assert.equal(failure.requests.length, 2);
  });

  test('a count that is cut with the keys', async () => {
    const range = (answer: RangeResponse) => ({ ...answer, count: answer.kvs.length });
    const failure = await failureOf({ range }, 'range/limit');
    assert.deepEqual(
      [failure.what, failure.expected, failure.got],
      ['more and count', '[true, 3]', '[true, 2]'],
    );
  });

  test('a put that forgets prev_kv', async () => {
    const put = (answer: PutResponse) => ({ header: answer.header });
    assert.equal((await failureOf({ put }, 'put/prev-kv')).got, 'undefined');
  });

  test('a lost event', async () => {
    let events = 0;
    const watch = (answer: WatchResponse) => {
      events += answer.events.length;
      return answer.events.length > 0 && events === 1 ? undefined : answer;
    };
    const failure = await failureOf({ watch }, 'watch/resume', '--timeout=3s');
    assert.equal(failure.expected, 'an answer within 1 s');
    assert.match(failure.requests[0]!, /^Watch#1 create \{key: "P\/a"\}$/);
  });

  test('progress that promises too much', async () => {
    const watch = (answer: WatchResponse) => {
      if (answer.watchId === -1n) answer.header!.revision += 2;
      return answer;
    };
    const failure = await failureOf({ watch }, 'progress/never-ahead');
    assert.match(failure.expected, /^above \d+, which was promised$/);
  });

  test('an answer that never comes', async () => {
    const range = () => undefined;
    const { shown, checks } = await check({ range }, 'range/limit', '--timeout=1s');
    assert.equal(shown.code, 1);
    const { what, expected, got } = checks[0]!.failure!;
    assert.deepEqual([what, expected, got], ['the whole check', 'to end within 1 s', 'no end']);
  });

  test('a renewal that is refused', async () => {
    const leaseKeepAlive = (answer: object) => ({ ...answer, ttl: 0 });
    const failure = await failureOf({ leaseKeepAlive }, 'lease/keep-alive');
    assert.match(failure.expected, /, 60\]$/);
    assert.match(failure.got, /, 0\]$/);
  });

  test("etcd's own faults are told apart from others", async () => {
    const hashKv = (answer: object) => ({ ...answer, hashRevision: 0 });
    const { shown, checks } = await check({ hashKv }, 'maintenance/hash-revision');
    assert.equal(shown.code, 0);
    assert.deepEqual(
      [checks[0]!.result, checks[0]!.oddity?.name],
      ['oddity', 'hash-revision-missing'],
    );
    const other = (answer: object) => ({ ...answer, hashRevision: 7 });
    await failureOf({ hashKv: other }, 'maintenance/hash-revision');
  });
});

describe('the command', () => {
  const at = (...words: string[]) =>
    run(KVORUMCTL, ['check', 'conformance', `--endpoints=${target}`, ...words]);

  async function isClean(): Promise<void> {
    const left = await store.list('kvorum-conformance/');
    assert.deepEqual(left, []);
  }

  test('prints a line for each check and leaves nothing behind', async () => {
    const { code, stdout } = await at('--only=delete,lease/revoke,compaction/boundary');
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^pass {5}delete\/one-key +a deleted key is gone/m);
    assert.match(stdout, /^skipped {2}compaction\/boundary +needs --allow-compaction/m);
    assert.match(stdout, /^9 checks: 8 passed, 0 failed, 0 known oddities of etcd, 1 skipped/m);
    await isClean();
  });

  test('leaves nothing behind when it is interrupted', async () => {
    const controller = new AbortController();
    const drawn: string[] = [];
    const shown = await run(
      KVORUMCTL,
      ['check', 'conformance', `--endpoints=${target}`, '--only=put,watch'],
      {
        interruption: () => controller.signal,
        nanoseconds: () => process.hrtime.bigint(),
        drawProgress: (text) => {
          drawn.push(text);
          if (drawn.length === 2) controller.abort(new Error('interrupted'));
        },
      },
    );
    assert.equal(shown.code, 5);
    assert.match(shown.stdout, /^skipped .* the run was interrupted$/m);
    assert.match(drawn[0]!, /of \d+ checks/);
    await isClean();
  });

  test('lists its checks without a server', async () => {
    const { code, stdout } = await run(KVORUMCTL, ['check', 'conformance', '--list']);
    assert.equal(code, 0);
    assert.ok(stdout.split('\n').length > 200);
  });

  test('refuses what it does not know', async () => {
    assert.equal((await at('--only=nothing')).code, 128);
    assert.equal((await at('-w', 'fields')).code, 4);
    const nobody = await run(KVORUMCTL, [
      'check',
      'conformance',
      '--endpoints=127.0.0.1:1',
      '--command-timeout=300ms',
    ]);
    assert.equal(nobody.code, 2);
    assert.match(nobody.stderr, /127\.0\.0\.1:1 does not answer/);
  });
});
