/**
 * The leader decides the cluster version: the lowest `major.minor` that all members report, never
 * lower than before. Entries and features newer than it are not used.
 */
import type { InternalOp, Member } from '../api/index.js';
import type { Clock, Timer } from './environment.js';
import type { Membership } from './membership.js';
import type { PeerNetwork } from './peer-network.js';
import { MIN_CLUSTER_VERSION, SERVER_VERSION, compareVersions, majorMinor } from './versions.js';

/** etcd asks every member so often. */
const INTERVAL_MS = 4000;
const ASK_TIMEOUT_MS = 1500;

export interface ClusterVersionMonitorOptions {
  memberId: bigint;
  membership: Membership;
  network: PeerNetwork;
  clock: Clock;
  isLeader: () => boolean;
  propose: (op: InternalOp) => Promise<unknown>;
}

export class ClusterVersionMonitor {
  readonly #options: ClusterVersionMonitorOptions;
  #timer: Timer | undefined;
  #stopped = false;
  #deciding = false;

  constructor(options: ClusterVersionMonitorOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = this.#options.clock.after(INTERVAL_MS, () => {
      this.start();
      this.check();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  /** Decides now if this member leads; called at once when it becomes leader. */
  check(): void {
    if (this.#stopped || this.#deciding || !this.#options.isLeader()) return;
    this.#deciding = true;
    const done = () => (this.#deciding = false);
    this.#decide().then(done, done); // a failed proposal is tried again at the next check
  }

  async #decide(): Promise<void> {
    const { membership, isLeader, propose } = this.#options;
    const versions = await Promise.all(membership.list().map((member) => this.#versionOf(member)));
    if (this.#stopped || !isLeader()) return;
    const version = decideVersion(membership.clusterVersion, versions);
    if (version !== undefined) await propose({ kind: 'clusterVersionSet', version });
  }

  async #versionOf(member: Member): Promise<string | undefined> {
    if (member.id === this.#options.memberId) return SERVER_VERSION;
    const request = { method: 'GET', path: '/version' } as const;
    try {
      const reply = await this.#options.network.request(member.id, request, ASK_TIMEOUT_MS);
      const answer = JSON.parse(Buffer.from(reply.body).toString()) as { etcdserver?: unknown };
      return typeof answer.etcdserver === 'string' ? answer.etcdserver : undefined;
    } catch {
      return undefined;
    }
  }
}

/** The version to set, or undefined to leave things as they are. An unknown member blocks a raise. */
export function decideVersion(
  current: string | undefined,
  memberVersions: readonly (string | undefined)[],
): string | undefined {
  const known = memberVersions.map((version) => majorMinor(version ?? ''));
  const lowest = known.includes(undefined)
    ? undefined
    : (known as string[]).reduce((a, b) => (compareVersions(a, b) <= 0 ? a : b));
  if (current === undefined) return lowest ?? MIN_CLUSTER_VERSION;
  return lowest !== undefined && compareVersions(lowest, current) > 0 ? lowest : undefined;
}
