/**
 * Three processes on loopback that reach one another, and are reached by clients, through proxies only.
 * Connections between members are told apart by the header with which members name themselves.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { hexId } from '../../src/bytes/index.js';
import { memberIdOf } from '../../src/server/index.js';
import type { Child } from '../e2e/support/child.js';
import { serverUnderTest } from '../e2e/support/binaries.js';
import { Member } from '../e2e/support/member.js';
import { freePort } from '../e2e/support/ports.js';
import { FireMember } from './fire-member.js';
import { Proxy } from './proxy.js';
import { CLIENTS, Roads } from './roads.js';

export interface FireClusterOptions {
  readonly members: number;
  readonly settings: Settings;
  /** A process has ended by itself. */
  readonly exited: (member: FireMember, child: Child) => void;
}

/** What the seed draws for all members. */
export interface Settings {
  readonly heartbeatMs: number;
  readonly electionMs: number;
  readonly snapshotCount: number;
  readonly snapshotCatchupEntries: number;
  readonly preVote: boolean;
  readonly backendBatchMs: number;
}

/** Somebody who calls a peer port without a name: no member does. */
const STRANGER = 'stranger';
const CLUSTER_TOKEN = 'under-fire';
const RETRY_MS = 20;
const START_TIMEOUT_MS = 90_000;

export class FireCluster {
  readonly roads = new Roads();
  readonly members: FireMember[] = [];
  readonly #proxies: Proxy[] = [];
  /** Names by id in hex, as the peers' header has it. */
  readonly #names = new Map<string, string>();

  private constructor() {}

  /** Starts it; resolves when every member answers and one leads. */
  static async start(options: FireClusterOptions): Promise<FireCluster> {
    const cluster = new FireCluster();
    await cluster.#found(options);
    for (const member of cluster.members) member.start();
    const deadlineMs = Date.now() + START_TIMEOUT_MS;
    await Promise.all(cluster.members.map((member) => member.answers(deadlineMs)));
    while ((await cluster.leader()) === undefined) {
      if (Date.now() > deadlineMs) throw new Error('no leader after the start');
      await pause(RETRY_MS);
    }
    return cluster;
  }

  /** The member that leads in the highest term, by what members say now. */
  async leader(): Promise<FireMember | undefined> {
    const states = await Promise.all(this.members.map((member) => member.status()));
    let best: { member: FireMember; term: number } | undefined;
    for (const [i, state] of states.entries()) {
      if (state?.header === undefined || state.leader !== state.header.memberId) continue;
      const found = { member: this.members[i]!, term: state.raftTerm };
      if (best === undefined || found.term > best.term) best = found;
    }
    return best?.member;
  }

  /** Ends everything. */
  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.end('SIGKILL')));
    for (const member of this.members) member.close();
    for (const proxy of this.#proxies) proxy.close();
  }

  async #found({ members, settings, exited }: FireClusterOptions): Promise<void> {
    const places = await Promise.all(
      Array.from({ length: members }, async (_, i) => ({
        name: `m${i + 1}`,
        peerPort: await freePort(),
        clientPort: await freePort(),
        proxiedPeerPort: await freePort(),
        proxiedClientPort: await freePort(),
      })),
    );
    const urlOf = (port: number) => `http://127.0.0.1:${port}`;
    const initialCluster = places
      .map(({ name, proxiedPeerPort }) => `${name}=${urlOf(proxiedPeerPort)}`)
      .join(',');
    for (const place of places) {
      const { name, clientPort, peerPort, proxiedClientPort, proxiedPeerPort } = place;
      const flags = {
        ...flagsOf(settings),
        'initial-cluster': initialCluster,
        'initial-cluster-token': CLUSTER_TOKEN,
        'initial-advertise-peer-urls': urlOf(proxiedPeerPort),
        'advertise-client-urls': urlOf(proxiedClientPort),
      };
      const member = await Member.create({ name, clientPort, peerPort, flags });
      const id = memberIdOf([urlOf(proxiedPeerPort)], CLUSTER_TOKEN);
      const fireMember: FireMember = new FireMember(member, id, proxiedClientPort, (child) =>
        exited(fireMember, child),
      );
      this.#names.set(hexId(id), name);
      this.members.push(fireMember);
      await this.#openProxies(name, place);
    }
  }

  async #openProxies(
    name: string,
    ports: Record<'peerPort' | 'clientPort' | 'proxiedPeerPort' | 'proxiedClientPort', number>,
  ): Promise<void> {
    const roads = (dialler: string) => ({
      there: this.roads.between(dialler, name),
      back: this.roads.between(name, dialler),
    });
    this.#proxies.push(
      await Proxy.open({
        port: ports.proxiedPeerPort,
        targetPort: ports.peerPort,
        dialler: (head) => this.#diallerOf(head),
        roads,
      }),
      await Proxy.open({
        port: ports.proxiedClientPort,
        targetPort: ports.clientPort,
        roads: () => roads(CLIENTS),
      }),
    );
  }

  #diallerOf(head: Buffer): string | undefined {
    const text = head.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const id = /\r\nx-server-from: *([0-9a-f]+)/i.exec(text.slice(0, end))?.[1];
    return this.#names.get(id?.toLowerCase() ?? '') ?? STRANGER;
  }
}

function flagsOf(settings: Settings): Record<string, string> {
  const { heartbeatMs, electionMs, snapshotCount, snapshotCatchupEntries } = settings;
  const flags = {
    'heartbeat-interval': String(heartbeatMs),
    'election-timeout': String(electionMs),
    'snapshot-count': String(snapshotCount),
    'pre-vote': String(settings.preVote),
    'backend-batch-interval': `${settings.backendBatchMs}ms`,
  };
  if (serverUnderTest !== 'kvorum') return flags;
  return {
    ...flags,
    'snapshot-catchup-entries': String(snapshotCatchupEntries),
    'watch-progress-notify-interval': '1s',
  };
}
