/** Members of one process over memory, with short timers, that can be cut off and stalled. */
import {
  type Kvorum,
  LocalSwitch,
  type OpenOptions,
  openMember,
  realClock,
} from '../../../src/embed/index.js';
import { CutNetwork } from './cut-network.js';
import { eventually } from './eventually.js';
import { SwiftClock } from './swift-clock.js';

export interface Node {
  readonly store: Kvorum;
  readonly network: CutNetwork;
  readonly clock: SwiftClock;
}

export interface ClusterOptions extends OpenOptions {
  /** Seconds of the members in one real second; 4 unless said. */
  speed?: number;
}

const DEFAULT_SPEED = 4;

export class Cluster {
  private constructor(readonly nodes: readonly Node[]) {}

  /** Runs `use` on a cluster of `size` members and closes it in any case. */
  static async run(
    size: number,
    use: (cluster: Cluster) => Promise<void>,
    options: ClusterOptions = {},
  ): Promise<void> {
    const cluster = new Cluster(await openNodes(size, options));
    try {
      await Promise.all(cluster.stores.map(({ member }) => member.ready));
      await use(cluster);
    } finally {
      for (const { clock } of cluster.nodes) clock.wake();
      await Promise.all(cluster.stores.map((store) => store.close()));
    }
  }

  get stores(): Kvorum[] {
    return this.nodes.map(({ store }) => store);
  }

  /** Waits for a leader among the members that are not cut off. */
  leader(): Promise<Node> {
    return eventually(() =>
      this.nodes.find(({ store, network }) => store.member.isLeader && !network.cut),
    );
  }

  /** A member that does not lead now. */
  async follower(): Promise<Node> {
    const leader = await this.leader();
    return this.nodes.find((node) => node !== leader)!;
  }

  /** Waits until every member has applied what the others have, and `revision` at least. */
  async settle(revision: number): Promise<void> {
    await eventually(() => this.stores.every((store) => store.revision >= revision));
  }
}

async function openNodes(size: number, options: ClusterOptions): Promise<Node[]> {
  const { speed = DEFAULT_SPEED, ...more } = options;
  const network = new LocalSwitch(realClock);
  const names = Array.from({ length: size }, (_, i) => `m${i}`);
  const initialCluster = names.map((name) => ({ name, peerUrls: [`http://${name}:2380`] }));
  const open = async (name: string): Promise<Node> => {
    const peerUrls = [`http://${name}:2380`];
    const cutNetwork = new CutNetwork(network.connect(peerUrls));
    const clock = new SwiftClock(speed);
    const store = await openMember({
      memory: true,
      name,
      peerUrls,
      clientUrls: [],
      initialCluster,
      network: cutNetwork,
      clock,
      ...more,
    });
    return { store, network: cutNetwork, clock };
  };
  return Promise.all(names.map(open));
}
