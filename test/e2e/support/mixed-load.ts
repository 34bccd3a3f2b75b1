/**
 * Requests of every kind that reaches the log, seeded: what succeeds, what is refused when it is applied,
 * and membership changes that every member must refuse.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.js';
import type { Random } from './random.js';

const KEYS = 60;
const PREFIX = 'mix/';
const NO_SUCH_LEASE = '4711';
const NOSPACE = { memberID: '0', alarm: 1 };

export interface MixedLoadOptions {
  random: Random;
  workers: number;
  pauseMs: number;
  /** Leases get one of these times. */
  ttlsSeconds: readonly number[];
  /** Changes of the membership are tried that every member refuses; absent: none are. */
  refusedChanges?: {
    /** Of a voter: to be promoted, which it cannot be. */
    voterId: string;
    /** A peer URL that is taken. */
    takenUrl: string;
  };
}

export class MixedLoad {
  /** Requests that were answered, by kind; refusals count. */
  readonly counts = new Map<string, number>();
  readonly #clients: readonly Client[];
  readonly #options: MixedLoadOptions;
  readonly #random: Random;
  readonly #leases: string[] = [];
  readonly #loops: Promise<void>[];
  #revision = 1;
  #stopped = false;

  constructor(clients: readonly Client[], options: MixedLoadOptions) {
    this.#clients = clients;
    this.#options = options;
    this.#random = options.random;
    this.#loops = Array.from({ length: options.workers }, () => this.#work());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#loops);
    // An alarm that a dead member left behind must not hold up what comes next.
    for (const client of this.#clients) {
      const disarmed = await client.call('Maintenance/Alarm', { action: 2, ...NOSPACE }).then(
        () => true,
        () => false,
      );
      if (disarmed) return;
    }
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      const client = this.#clients[this.#random.below(this.#clients.length)]!;
      const [kind, act] = this.#choose();
      const answered = await act(client).then(
        () => true,
        (error: { code?: number }) => error.code !== 14 && error.code !== 4,
      );
      if (answered) this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
      await sleep(this.#options.pauseMs);
    }
  }

  #choose(): [string, (client: Client) => Promise<unknown>] {
    const roll = this.#random.below(1000);
    if (roll < 400) return ['put', (client) => this.#put(client)];
    if (roll < 480)
      return ['put of an unknown lease', (client) => this.#put(client, NO_SUCH_LEASE)];
    if (roll < 600) return ['delete', (client) => this.#delete(client)];
    if (roll < 800) return ['txn', (client) => client.call('KV/Txn', this.#txn(2))];
    if (roll < 860) return ['lease grant', (client) => this.#grant(client)];
    if (roll < 900) return ['lease revoke', (client) => this.#revoke(client)];
    if (roll < 920) return ['lease renewal', (client) => this.#timeToLive(client)];
    if (roll < 940) return ['compaction', (client) => this.#compact(client)];
    if (roll < 960) return ['compaction refused', (client) => client.compact(1)];
    if (roll < 970) return ['alarm', (client) => this.#alarm(client)];
    const { refusedChanges } = this.#options;
    if (refusedChanges === undefined) return ['put', (client) => this.#put(client)];
    return [
      'membership change refused',
      (client) => refusedChange(client, refusedChanges, this.#random),
    ];
  }

  async #put(client: Client, lease?: string): Promise<void> {
    const size = this.#random.chance(0.02) ? 20_000 : this.#random.below(200);
    const value = String.fromCharCode(33 + this.#random.below(90)).repeat(size);
    const options = lease ? { lease } : this.#random.chance(0.2) ? this.#someLease() : {};
    this.#revision = await client.put(this.#key(), value, options);
  }

  #delete(client: Client): Promise<unknown> {
    return client.call('KV/DeleteRange', this.#range());
  }

  async #grant(client: Client): Promise<void> {
    const { ttlsSeconds } = this.#options;
    const ttl = ttlsSeconds[this.#random.below(ttlsSeconds.length)]!;
    if (this.#random.chance(0.2)) {
      // The same id again and again: refused while the last one lives.
      await client.call('Lease/LeaseGrant', { TTL: ttl, ID: String(1 + this.#random.below(3)) });
      return;
    }
    this.#leases.push(await client.leaseGrant(ttl));
  }

  async #revoke(client: Client): Promise<void> {
    const at = this.#random.below(this.#leases.length + 1);
    const [id] = this.#leases.splice(at, 1);
    await client.leaseRevoke(id ?? NO_SUCH_LEASE);
  }

  async #timeToLive(client: Client): Promise<void> {
    await client.leaseTimeToLive(this.#someLease().lease ?? NO_SUCH_LEASE);
  }

  #compact(client: Client): Promise<void> {
    return client.compact(Math.max(2, this.#revision - this.#random.below(60)));
  }

  /** While it is raised, writes are refused when they are applied. */
  async #alarm(client: Client): Promise<void> {
    await client.call('Maintenance/Alarm', { action: 1, ...NOSPACE });
    await sleep(30);
    await client.call('Maintenance/Alarm', { action: 2, ...NOSPACE });
  }

  #txn(depth: number): Record<string, unknown> {
    const compare = Array.from({ length: this.#random.below(3) }, () => this.#compare());
    return { compare, success: this.#ops(depth), failure: this.#ops(depth) };
  }

  #compare(): Record<string, unknown> {
    const key = Buffer.from(this.#key());
    const result = this.#random.below(4);
    switch (this.#random.below(4)) {
      case 0:
        return { result, target: 0, key, version: this.#random.below(4) };
      case 1:
        return { result, target: 1, key, create_revision: this.#random.below(this.#revision) };
      case 2:
        return { result, target: 2, key, mod_revision: this.#random.below(this.#revision) };
      default:
        return { result, target: 3, key, value: Buffer.from('A') };
    }
  }

  /** Some touch a key twice and are refused before they reach the log. */
  #ops(depth: number): Record<string, unknown>[] {
    return Array.from({ length: this.#random.below(4) }, () => {
      const roll = this.#random.below(10);
      const key = Buffer.from(this.#key());
      if (roll < 5) {
        const lease = this.#random.chance(0.1) ? NO_SUCH_LEASE : '0';
        return { request_put: { key, value: Buffer.from('txn'), lease } };
      }
      if (roll < 7) return { request_delete_range: this.#range() };
      if (roll < 8) return { request_range: { key, serializable: true } };
      return depth > 0 ? { request_txn: this.#txn(depth - 1) } : { request_range: { key } };
    });
  }

  #range(): Record<string, unknown> {
    const key = this.#key();
    const end = this.#random.chance(0.2) ? `${key.slice(0, -1)}~` : '';
    return { key: Buffer.from(key), range_end: Buffer.from(end) };
  }

  #someLease(): { lease?: string } {
    const lease = this.#leases[this.#random.below(this.#leases.length + 1)];
    return lease === undefined ? {} : { lease };
  }

  #key(): string {
    return `${PREFIX}${this.#random.below(KEYS)}`;
  }
}

/** Real members put each of these into the log and refuse it there. */
function refusedChange(
  client: Client,
  { voterId, takenUrl }: { voterId: string; takenUrl: string },
  random: Random,
): Promise<unknown> {
  const free = `http://127.0.0.1:${1 + random.below(9)}`;
  switch (random.below(3)) {
    case 0:
      return client.call('Cluster/MemberAdd', { peerURLs: [free], isLearner: true });
    case 1:
      return client.call('Cluster/MemberPromote', { ID: voterId });
    default:
      return client.call('Cluster/MemberAdd', { peerURLs: [takenUrl], isLearner: true });
  }
}
