/** Several members that know each other from the start, and a client for each. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.js';
import { Member } from './member.js';
import type { MemberOptions } from './member.js';
import { freePort } from './ports.js';

export interface Ports {
  clientPort: number;
  peerPort: number;
}

export class Cluster {
  readonly members: readonly Member[];
  /** One for each of {@link members}, in the same order. */
  readonly clients: readonly Client[];

  private constructor(members: readonly Member[]) {
    this.members = members;
    this.clients = members.map((member) => new Client(member.endpoint));
  }

  /** Starts members named m1, m2 …, so many or one for each pair of ports; waits until all serve. */
  static async start(
    size: number | readonly Ports[],
    options: MemberOptions = {},
  ): Promise<Cluster> {
    const ports = typeof size === 'number' ? await choosePorts(size) : size;
    const members = await createMembers(ports, options);
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

  /** The id of a member, in decimal. */
  async memberId(index: number): Promise<string> {
    return (await this.#client(index).status()).memberId;
  }

  /** Moves the leadership to a member and waits until it leads. */
  async makeLeader(index: number): Promise<void> {
    const leader = await this.leader();
    if (leader === index) return;
    await this.#client(leader).moveLeader(await this.memberId(index));
    while ((await this.leader()) !== index) await sleep(20);
  }

  /** Ends all members at once. */
  async stop(): Promise<void> {
    for (const client of this.clients) client.close();
    await Promise.all(this.members.map((member) => member.stop()));
  }

  #client(index: number): Client {
    const client = this.clients[index];
    if (!client) throw new Error(`there is no member ${index}`);
    return client;
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

async function choosePorts(size: number): Promise<Ports[]> {
  const ports: Ports[] = [];
  while (ports.length < size) {
    ports.push({ clientPort: await freePort(), peerPort: await freePort() });
  }
  return ports;
}

function createMembers(ports: readonly Ports[], options: MemberOptions): Promise<Member[]> {
  const initialCluster = ports
    .map(({ peerPort }, i) => `m${i + 1}=http://127.0.0.1:${peerPort}`)
    .join(',');
  const flags = { 'initial-cluster': initialCluster, ...options.flags };
  return Promise.all(
    ports.map((pair, i) => Member.create({ ...options, ...pair, name: `m${i + 1}`, flags })),
  );
}
