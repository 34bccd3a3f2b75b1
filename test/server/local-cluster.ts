/** Members of one process over in-memory disks, with short timers: a cluster in milliseconds. */
import {
  type Kvorum,
  LocalSwitch,
  type OpenOptions,
  openMember,
  realClock,
} from '../../src/embed/index.js';

const FAST = { heartbeatMs: 10, electionMs: 100 };

export interface LocalCluster {
  readonly stores: Kvorum[];
  readonly network: LocalSwitch;
  /** The member that leads; waits for one. */
  leader(): Promise<Kvorum>;
  /** A member that does not lead. */
  follower(): Promise<Kvorum>;
  /** Starts one more member that joins by `initialClusterState: existing`. */
  join(options: OpenOptions): Promise<Kvorum>;
  close(): Promise<void>;
}

export function peerUrlOf(name: string): string {
  return `http://${name}:2380`;
}

export async function startLocalCluster(
  names: readonly string[],
  options: OpenOptions = {},
): Promise<LocalCluster> {
  const network = new LocalSwitch(realClock);
  const initialCluster = names.map((name) => ({ name, peerUrls: [peerUrlOf(name)] }));
  const start = (name: string, more: OpenOptions) => {
    const peerUrls = [peerUrlOf(name)];
    return openMember({
      memory: true,
      ...FAST,
      name,
      peerUrls,
      clientUrls: [`http://${name}:2379`],
      initialCluster,
      network: network.connect(peerUrls),
      ...options,
      ...more,
    });
  };
  const stores = await Promise.all(names.map((name) => start(name, {})));
  const running = () => stores.filter((store) => !store.member.isStopped);
  const cluster: LocalCluster = {
    stores,
    network,
    leader: () => eventually(() => running().find(({ member }) => member.isLeader)),
    follower: async () => {
      const leader = await cluster.leader();
      return running().find((store) => store !== leader)!;
    },
    join: async (more) => {
      const store = await start(more.name!, { ...more, initialClusterState: 'existing' });
      stores.push(store);
      return store;
    },
    close: async () => {
      await Promise.all(stores.map((store) => store.close()));
    },
  };
  await Promise.all(stores.map((store) => store.member.ready));
  return cluster;
}

/** Asks again until the answer is not undefined (or false), for at most 10 s. */
export async function eventually<T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const until = Date.now() + 10_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > until) throw new Error(`still not so after 10 s: ${ask}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
