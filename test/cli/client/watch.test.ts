import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import {
  Code,
  etcdError,
  isEtcdError,
  type WatchRequest,
  type WatchResponse,
} from '../../../src/api/index.js';
import {
  DEFAULT_OPTIONS,
  createClient,
  watchOf,
  type WatchClient,
} from '../../../src/client/index.js';
import { startFakeServer, type FakeStream } from '../support/fake-server.js';

const toStop: { stop(): void }[] = [];
/** After each suite, not at the end: what still listens would keep the end from coming. */
function stopAll(): void {
  for (const each of toStop.splice(0)) each.stop();
}

/** A client of a server that talks to each stream by the next of `talks`. */
async function watchClient(
  ...talks: ((stream: FakeStream) => Promise<void>)[]
): Promise<{ watch: WatchClient; streams: FakeStream[] }> {
  const streams: FakeStream[] = [];
  const server = await startFakeServer({
    stream: {
      watch: (stream) => {
        streams.push(stream);
        void talks[streams.length - 1]!(stream);
      },
    },
  });
  const client = createClient({ ...DEFAULT_OPTIONS, endpoints: [server.endpoint] });
  toStop.push({ stop: () => client.close() }, server);
  return { watch: client.watch, streams };
}

function answer(
  watchId: bigint,
  revision: number,
  fields: Partial<WatchResponse> = {},
): WatchResponse {
  return {
    header: { clusterId: 1n, memberId: 1n, revision, raftTerm: 1 },
    watchId,
    created: false,
    canceled: false,
    compactRevision: 0,
    cancelReason: '',
    fragment: false,
    events: [],
    ...fields,
  };
}

function event(watchId: bigint, revision: number): WatchResponse {
  const kv = {
    key: 'k',
    value: String(revision),
    createRevision: revision,
    modRevision: revision,
    version: 1,
    lease: 0n,
  };
  return answer(watchId, revision, { events: [{ type: 'put', kv }] });
}

function startOf(request: unknown): unknown {
  const { kind, ...rest } = request as Extract<WatchRequest, { kind: 'create' }>;
  assert.equal(kind, 'create');
  return rest.request.startRevision;
}

async function take(
  responses: AsyncGenerator<WatchResponse>,
  count: number,
): Promise<WatchResponse[]> {
  const taken: WatchResponse[] = [];
  while (taken.length < count) {
    const step = await responses.next();
    if (step.done === true) break;
    taken.push(step.value);
  }
  return taken;
}

function revisions(responses: readonly WatchResponse[]): number[] {
  return responses.flatMap(({ events }) => events.map(({ kv }) => kv.modRevision));
}

describe('watch', () => {
  after(stopAll);

  test('asks for a leader, and yields what comes after creation', async () => {
    const { watch, streams } = await watchClient(async (stream) => {
      await stream.requests(1);
      stream.send(answer(0n, 5, { created: true }));
      stream.send(event(0n, 6));
      stream.send(event(0n, 7));
    });
    assert.deepEqual(revisions(await take(watch.watch(watchOf('k')), 2)), [6, 7]);
    assert.equal(streams[0]!.metadata['hasleader'], 'true');
  });

  test('goes on after the last event when the stream breaks', async () => {
    const { watch, streams } = await watchClient(
      async (stream) => {
        await stream.requests(1);
        stream.send(answer(0n, 5, { created: true }));
        stream.send(event(0n, 6));
        setTimeout(() => stream.fail(Code.unavailable, 'gone'), 20);
      },
      async (stream) => {
        await stream.requests(1);
        stream.send(answer(3n, 8, { created: true }));
        stream.send(event(3n, 8));
      },
    );
    assert.deepEqual(revisions(await take(watch.watch(watchOf('k')), 2)), [6, 8]);
    assert.equal(startOf(streams[0]!.received[0]), 0);
    assert.equal(startOf(streams[1]!.received[0]), 7);
  });

  test('that began now and saw nothing goes on from where it was created', async () => {
    const { watch, streams } = await watchClient(
      async (stream) => {
        await stream.requests(1);
        stream.send(answer(0n, 5, { created: true }));
        setTimeout(() => stream.fail(Code.unavailable, 'gone'), 20);
      },
      async (stream) => {
        await stream.requests(1);
        stream.send(answer(0n, 9, { created: true }));
        stream.send(event(0n, 6));
      },
    );
    assert.deepEqual(revisions(await take(watch.watch(watchOf('k')), 1)), [6]);
    assert.equal(startOf(streams[1]!.received[0]), 6);
  });

  test('does not start earlier than asked because of progress', async () => {
    const { watch, streams } = await watchClient(
      async (stream) => {
        await stream.requests(1);
        stream.send(answer(0n, 5, { created: true }));
        stream.send(answer(0n, 5));
        setTimeout(() => stream.fail(Code.unavailable, 'gone'), 20);
      },
      async (stream) => {
        await stream.requests(1);
        stream.send(answer(0n, 20, { created: true }));
        stream.send(event(0n, 20));
      },
    );
    await take(watch.watch({ ...watchOf('k'), startRevision: 20 }), 2);
    assert.equal(startOf(streams[1]!.received[0]), 20);
  });

  test('ends with the answer that cancels it', async () => {
    const { watch } = await watchClient(async (stream) => {
      await stream.requests(1);
      stream.send(answer(0n, 5, { created: true }));
      stream.send(answer(0n, 0, { canceled: true, compactRevision: 4 }));
    });
    const all = await take(watch.watch(watchOf('k')), 9);
    assert.deepEqual(
      all.map(({ canceled, compactRevision }) => [canceled, compactRevision]),
      [[true, 4]],
    );
  });

  test('refused at creation ends with that answer', async () => {
    const { watch } = await watchClient(async (stream) => {
      await stream.requests(1);
      stream.send(answer(-1n, 5, { created: true, canceled: true, cancelReason: 'no' }));
    });
    const all = await take(watch.watch(watchOf('k')), 9);
    assert.deepEqual(
      all.map(({ cancelReason }) => cancelReason),
      ['no'],
    );
  });

  test('a member without leader is an error, not a reason to go on', async () => {
    const { code, message } = etcdError('noLeader');
    const { watch } = await watchClient(async (stream) => {
      await stream.requests(1);
      stream.fail(code, message);
    });
    await assert.rejects(take(watch.watch(watchOf('k')), 1), (error) =>
      isEtcdError(error, 'noLeader'),
    );
  });

  test('two share a stream, each gets its own events, and the first to return is cancelled', async () => {
    const { watch, streams } = await watchClient(async (stream) => {
      await stream.requests(1);
      stream.send(answer(0n, 5, { created: true }));
      stream.send(event(0n, 6));
      await stream.requests(2);
      stream.send(answer(1n, 6, { created: true }));
      stream.send(event(1n, 7));
      stream.send(event(0n, 8));
      await stream.requests(3);
      stream.send(event(1n, 9));
    });
    const first = watch.watch(watchOf('a'));
    const second = watch.watch(watchOf('b'));
    assert.deepEqual(revisions(await take(first, 1)), [6]);
    assert.deepEqual(revisions(await take(second, 1)), [7]);
    assert.deepEqual(revisions(await take(first, 1)), [8]);
    await first.return(undefined);
    assert.deepEqual(revisions(await take(second, 1)), [9]);
    assert.deepEqual(streams[0]!.received[2], { kind: 'cancel', watchId: 0n });
    assert.equal(streams.length, 1);
    await second.return(undefined);
    await streams[0]!.end();
  });

  test('progress is asked for on the stream and goes to every watch', async () => {
    const { watch, streams } = await watchClient(async (stream) => {
      await stream.requests(1);
      stream.send(answer(0n, 5, { created: true }));
      stream.send(event(0n, 6));
      await stream.requests(2);
      stream.send(answer(-1n, 6));
    });
    const responses = watch.watch(watchOf('k'));
    await take(responses, 1);
    watch.requestProgress();
    const [progress] = await take(responses, 1);
    assert.equal(progress!.header!.revision, 6);
    assert.deepEqual(progress!.events, []);
    assert.deepEqual(streams[0]!.received[1], { kind: 'progress' });
  });
});
