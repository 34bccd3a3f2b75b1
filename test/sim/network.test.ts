import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Message, MessageType, makeMessage } from '../../src/raft/index.js';
import type { PeerHandler } from '../../src/server/index.js';
import { ChanceStreams } from '../../src/sim/chance.js';
import { EventLoop } from '../../src/sim/event-loop.js';
import { type Endpoint, VirtualNetwork } from '../../src/sim/network.js';
import { Trace } from '../../src/sim/trace.js';

class Receiver implements Endpoint {
  readonly received: Message[] = [];
  readonly handler: PeerHandler;
  isAlive = true;
  removed: bigint[] = [];
  readonly known = new Map<bigint, readonly string[]>();
  toldRemoved = 0;

  constructor(
    readonly node: string,
    id: bigint,
    clusterId = 1n,
  ) {
    this.handler = {
      identity: () => ({ memberId: id, clusterId, peerUrls: urls(node) }),
      receive: (message) => void this.received.push(message),
      unreachable: () => {},
      snapshotSent: () => {},
      receiveSnapshot: async () => {},
      isRemoved: (from) => this.removed.includes(from),
      removedFromCluster: () => void this.toldRemoved++,
      serve: async () => undefined,
    };
  }

  met(id: bigint, peerUrls: readonly string[]): void {
    this.known.set(id, peerUrls);
  }

  perform(action: () => void): void {
    action();
  }

  deliver(action: () => void): boolean {
    action();
    return true;
  }
}

const urls = (node: string) => [`http://${node}:2380`];

function netted() {
  const loop = new EventLoop({
    atRest: () => {},
    failed: (error) => {
      throw error;
    },
  });
  const observed: Message[] = [];
  const network = new VirtualNetwork(
    loop,
    new ChanceStreams(1),
    new Trace(() => loop.nowUs),
    (message) => void observed.push(message),
  );
  const a = new Receiver('a', 1n);
  const b = new Receiver('b', 2n);
  network.listen(urls('a'), a);
  network.listen(urls('b'), b);
  let failures = 0;
  const send = (index: number, type: MessageType = MessageType.append, to = 2n) =>
    network.send(
      a,
      urls('b'),
      makeMessage(type, 1n, to, { index, term: 1 }),
      () => void failures++,
    );
  const indexes = () => b.received.map(({ index }) => index);
  return { loop, network, a, b, observed, send, indexes, failures: () => failures };
}

const inOrder = Array.from({ length: 100 }, (_, i) => i);

describe('the virtual network', () => {
  it('delivers in order, later than it was sent', async () => {
    const { loop, send, indexes, b, observed } = netted();
    for (const index of inOrder) send(index);
    assert.equal(b.received.length, 0);
    await loop.run(1_000_000);
    assert.deepEqual(indexes(), inOrder);
    assert.equal(observed.length, 100);
  });

  // Seed 30600 of `everything`: a laggard could not answer a leader that had joined while it was down.
  it('says where the sender can be answered', async () => {
    const { loop, send, b } = netted();
    send(1);
    await loop.run(1_000_000);
    assert.deepEqual([...b.known], [[1n, urls('a')]]);
  });

  it('loses, and tells the sender of some losses', async () => {
    const { loop, network, send, indexes, failures } = netted();
    network.link('a', 'b').condition.lossProbability = 0.3;
    for (const index of inOrder) send(index);
    await loop.run(1_000_000);
    const lost = 100 - indexes().length;
    assert.ok(lost > 15 && lost < 45, `${lost}`);
    assert.ok(failures() > 0 && failures() < lost);
  });

  it('repeats messages, but no proposal', async () => {
    const { loop, network, send, indexes } = netted();
    network.link('a', 'b').condition.duplicateProbability = 1;
    send(1);
    send(2, MessageType.propose);
    await loop.run(1_000_000);
    assert.deepEqual(
      indexes().toSorted((x, y) => x - y),
      [1, 1, 2],
    );
  });

  it('lets messages overtake each other when it is told to', async () => {
    const { loop, network, send, indexes } = netted();
    network.link('a', 'b').condition.reorderProbability = 0.5;
    for (const index of inOrder) send(index);
    await loop.run(1_000_000);
    assert.notDeepEqual(indexes(), inOrder);
    assert.deepEqual(
      indexes().toSorted((x, y) => x - y),
      inOrder,
    );
  });

  it('cuts one direction, what is under way included, as often as it is cut', async () => {
    const { loop, network, send, indexes } = netted();
    send(1);
    network.cut('a', 'b');
    network.cut('a', 'b');
    await loop.run(1_000_000);
    network.uncut('a', 'b');
    send(2);
    await loop.run(2_000_000);
    network.uncut('a', 'b');
    send(3);
    await loop.run(3_000_000);
    assert.deepEqual(indexes(), [3]);
    assert.equal(network.link('b', 'a').condition.cuts, 0);
  });

  it('delivers to nobody but the addressee, in the same cluster', async () => {
    const { loop, network, send, indexes, b } = netted();
    send(1, MessageType.append, 9n);
    await loop.run(1_000_000);
    const stranger = new Receiver('b', 2n, 5n);
    network.listen(urls('b'), stranger);
    send(2);
    await loop.run(2_000_000);
    assert.deepEqual(indexes(), []);
    assert.equal(stranger.received.length, 0);
    assert.equal(b.received.length, 0);
  });

  it('tells a removed sender', async () => {
    const { loop, send, indexes, a, b } = netted();
    b.removed = [1n];
    send(1);
    await loop.run(1_000_000);
    assert.equal(a.toldRemoved, 1);
    assert.deepEqual(indexes(), []);
  });

  it('loses what arrives at a process that is gone', async () => {
    const { loop, network, send, b, indexes } = netted();
    send(1);
    b.isAlive = false;
    await loop.run(1_000_000);
    assert.deepEqual(indexes(), []);
    assert.equal(network.endpointAt(urls('b')), undefined);
  });

  it('is whole again after healing', async () => {
    const { loop, network, send, indexes } = netted();
    network.cut('a', 'b');
    network.link('a', 'b').condition.lossProbability = 1;
    network.heal();
    send(1);
    await loop.run(1_000_000);
    assert.deepEqual(indexes(), [1]);
  });
});
