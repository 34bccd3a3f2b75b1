/** Several members that know each other from the start, and a client for each. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.js';
import { Member } from './member.js';
import type { MemberOptions } from './member.js';
import { freePort } from './ports.js';

export class Cluster {
  readonly members: readonly Member[];
  /** One for each of {@link members}, in the same order. */
  readonly clients: readonly Client[];

  private constructor(members: readonly Member[]) {
    this.members = members;
    this.clients = members.map((member) => new Client(member.endpoint));
  }

  /** Starts `size` members named m1, m2 …, and waits until all of them serve. */
  static async start(size: number, options: MemberOptions = {}): Promise<Cluster> {
    const members = await createMembers(size, options);
    await Promise.all(members.map((member) => member.start()));
    return new Cluster(members);
  }

  /** Client addresses, as etcdctl --endpoints takes them. */
  get endpoints(): string {
    return this.members.map((member) => member.endpoint).join(',');
  }

  /** The index of the member that says of itself that it leads; waits for one. */
  async leader(timeoutMs = 10_000): Promise<number> {
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline) {
      const leads = await Promise.all(this.clients.map(isLeader));
      if (leads.includes(true)) return leads.indexOf(true);
      await sleep(20);
    }
    throw new Error(`no leader within ${timeoutMs} ms`);
  }

  /** Ends all members at once. */
  async stop(): Promise<void> {
    for (const client of this.clients) client.close();
    await Promise.all(this.members.map((member) => member.process && member.stop()));
  }
}

async function isLeader(client: Client): Promise<boolean> {
  try {
    const status = await client.status(500);
    return status.leader === status.memberId;
  } catch {
    return false;
  }
}

async function createMembers(size: number, options: MemberOptions): Promise<Member[]> {
  const peerPorts: number[] = [];
  while (peerPorts.length < size) peerPorts.push(await freePort());
  const initialCluster = peerPorts.map((port, i) => `m${i + 1}=http://127.0.0.1:${port}`).join(',');
  const members: Member[] = [];
  for (const [i, peerPort] of peerPorts.entries()) {
    const flags = { 'initial-cluster': initialCluster, ...options.flags };
    members.push(await Member.create({ ...options, name: `m${i + 1}`, peerPort, flags }));
  }
  return members;
}
