/**
 * A disk that cannot be read any more ends its member, whoever reads: with the disk's own error, and
 * without an error in anybody's callback.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kvorum, LocalSwitch, realClock, realRandom } from '../../src/embed/index.js';
import { LOCAL_CALL } from '../../src/embed/local-call.js';
import { MessageType, makeMessage } from '../../src/raft/index.js';
import {
  DEFAULT_CONFIG,
  type Disk,
  Member,
  type MemberConfig,
  type PeerHandler,
  type PeerNetwork,
  createServices,
} from '../../src/server/index.js';
import { StorageError, openMemoryDisk } from '../../src/storage/index.js';
import { eventually } from './local-cluster.js';

/** What of a disk can be read. */
type Read = 'entries' | 'term' | 'get' | 'scan' | 'view';

/** `target` with some of its methods replaced. */
function override<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get: (_, name) => {
      const value = (name in methods ? methods : target)[name as keyof T];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A disk in memory with reads that fail from some moment on. */
class FailingDisk {
  readonly disk: Disk;
  readonly #broken = new Set<Read>();

  constructor() {
    const { log, backend, ...rest } = openMemoryDisk();
    const guard = <Args extends unknown[], T>(read: Read, action: (...args: Args) => T) => {
      return (...args: Args): T => {
        if (this.#broken.has(read)) throw unreadable(read);
        return action(...args);
      };
    };
    const later = <Args extends unknown[], T>(
      read: Read,
      action: (...args: Args) => Promise<T>,
    ) => {
      return async (...args: Args): Promise<T> => guard(read, action)(...args);
    };
    this.disk = {
      ...rest,
      log: override(log, {
        entries: guard('entries', log.entries.bind(log)),
        term: guard('term', log.term.bind(log)),
      }),
      backend: override(backend, {
        get: guard('get', backend.get.bind(backend)),
        scan: later('scan', backend.scan.bind(backend)),
        snapshot: () => {
          const view = backend.snapshot();
          return override(view, { scan: later('view', view.scan.bind(view)) });
        },
      }),
    };
  }

  break(...reads: Read[]): void {
    for (const read of reads) this.#broken.add(read);
  }
}

function unreadable(read: Read): StorageError {
  return new StorageError('IO', `cannot read ${read}: input/output error`);
}

interface Running {
  readonly member: Member;
  readonly store: Kvorum;
  readonly disk: FailingDisk;
  /** Raft messages do not reach it while it is deaf. */
  readonly ears: { deaf: boolean };
}

/** `network` with messages coming in only while `ears` hear. */
function hearing(network: PeerNetwork, ears: { readonly deaf: boolean }): PeerNetwork {
  const start = (handler: PeerHandler) =>
    network.start(
      override(handler, {
        receive: (message) => {
          if (!ears.deaf) handler.receive(message);
        },
      }),
    );
  return override(network, { start });
}

/** Members that know each other, with no value kept in memory. */
async function startMembers(
  names: readonly string[],
  settings: Partial<MemberConfig>,
): Promise<Running[]> {
  const network = new LocalSwitch(realClock);
  const urlsOf = (name: string) => [`http://${name}:2380`];
  const initialCluster = names.map((name) => ({ name, peerUrls: urlsOf(name) }));
  return Promise.all(
    names.map(async (name) => {
      const peerUrls = urlsOf(name);
      const times = { heartbeatMs: 10, electionMs: 100 };
      const config: MemberConfig = {
        ...DEFAULT_CONFIG,
        ...times,
        name,
        peerUrls,
        initialCluster,
        valueCacheBytes: 0,
        ...settings,
      };
      const disk = new FailingDisk();
      const ears = { deaf: false };
      const member = await Member.start(config, {
        clock: realClock,
        random: realRandom,
        disk: disk.disk,
        network: hearing(network.connect(peerUrls), ears),
        log: () => {},
      });
      const store = new Kvorum(member, createServices(member), () => disk.disk.close());
      return { member, store, disk, ears };
    }),
  );
}

async function withMembers(
  names: readonly string[],
  test: (leader: Running, others: readonly Running[]) => Promise<void>,
  settings: Partial<MemberConfig> = {},
): Promise<void> {
  const running = await startMembers(names, settings);
  try {
    await Promise.all(running.map(({ member }) => member.ready));
    const leader = await eventually(() => running.find(({ member }) => member.isLeader));
    const others = running.filter((one) => one !== leader);
    await test(leader, others);
  } finally {
    await Promise.all(running.map(({ store }) => store.close().catch(() => {})));
  }
}

async function assertEnded({ member }: Running, read: Read): Promise<void> {
  assert.deepEqual(await member.ended, unreadable(read));
  assert.ok(member.isStopped);
}

describe('a raft log that cannot be read ends the member', () => {
  it('in the middle of a message: a leader serves a follower that lags', () =>
    withMembers(['a', 'b', 'c'], async (leader, [, laggard]) => {
      laggard!.ears.deaf = true;
      for (let i = 0; i < 5; i++) await leader.store.put('k', String(i));
      leader.disk.break('entries');
      laggard!.ears.deaf = false;
      await assertEnded(leader, 'entries');
    }));

  it('in the middle of a message: a vote is asked for', () =>
    withMembers(['a', 'b'], async (leader, [follower]) => {
      const { member, disk } = follower!;
      disk.break('term');
      member.receive(
        makeMessage(MessageType.vote, leader.member.memberId, member.memberId, {
          term: member.raft.term + 1,
          index: 100,
          logTerm: 100,
          context: new TextEncoder().encode('CampaignTransfer'),
        }),
      );
      await assertEnded(follower!, 'term');
    }));

  it('at a tick: a follower calls an election', () =>
    withMembers(['a', 'b'], async (leader, [follower]) => {
      follower!.disk.break('term');
      await leader.member.stop();
      await assertEnded(follower!, 'term');
    }));

  it('at a linearizable read', () =>
    withMembers(['a'], async (only) => {
      only.disk.break('term');
      await assert.rejects(only.store.get('k'), { name: 'stopped' });
      await assertEnded(only, 'term');
    }));

  it('when committed entries are read to be applied', () =>
    withMembers(['a'], async (only) => {
      only.disk.break('entries');
      await assert.rejects(only.store.put('k', '1'), { name: 'stopped' });
      await assertEnded(only, 'entries');
    }));
});

describe('a keyspace that cannot be read ends the member', () => {
  it('when a request is applied', () =>
    withMembers(['a'], async (only) => {
      await only.store.put('k', '1');
      only.disk.break('get');
      const request = { key: 'k', value: '2', lease: 0n, prevKv: true } as const;
      const flags = { ignoreValue: false, ignoreLease: false };
      const put = async () => only.store.services.kv.put({ ...request, ...flags }, LOCAL_CALL);
      await assert.rejects(put(), { name: 'stopped' });
      await assertEnded(only, 'get');
    }));

  it('when a client reads an old value', () =>
    withMembers(['a'], async (only) => {
      await only.store.put('k', '1');
      await only.store.put('k', '2');
      only.disk.break('get');
      const read = only.store.get('k', { revision: 2, serializable: true });
      await assert.rejects(read, unreadable('get'));
      await assertEnded(only, 'get');
    }));

  it('when a watcher reads history', () =>
    withMembers(['a'], async (only) => {
      await only.store.put('k', '1');
      only.disk.break('get', 'scan');
      only.store.watch('k', { startRevision: 1 });
      const reason = await only.member.ended;
      assert.ok(reason instanceof StorageError, String(reason));
    }));

  it('when a hash is computed', () =>
    withMembers(['a'], async (only) => {
      await only.store.put('k', '1');
      only.disk.break('scan', 'view');
      const hash = async () => only.store.services.maintenance.hashKv({ revision: 0 }, LOCAL_CALL);
      await assert.rejects(hash());
      const reason = await only.member.ended;
      assert.ok(reason instanceof StorageError, String(reason));
    }));

  it('when a snapshot is sent to a follower', () =>
    withMembers(
      ['a', 'b', 'c'],
      async (leader, [, laggard]) => {
        laggard!.ears.deaf = true;
        const { log } = leader.disk.disk;
        const before = log.lastIndex();
        await eventually(async () => {
          await leader.store.put('k', 'v');
          return log.firstIndex() > before + 1;
        });
        leader.disk.break('view');
        laggard!.ears.deaf = false;
        await assertEnded(leader, 'view');
      },
      { snapshotCount: 5, snapshotCatchupEntries: 1 },
    ));
});
