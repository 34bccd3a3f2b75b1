/**
 * Do all members hold the same keyspace? They compare hashes: at a start, now and then, and after
 * compactions. A difference raises the CORRUPT alarm, as etcd's checks do.
 */
import type { Member } from '../api/index.js';
import { hexId } from '../bytes/index.js';
import type { KeyspaceHash, Store } from '../mvcc/index.js';
import type { Clock, Logger, Timer } from './environment.js';
import { StartError } from './member-config.js';
import type { Membership } from './membership.js';
import type { PeerNetwork } from './peer-network.js';

const ASK_TIMEOUT_MS = 5000;

export interface CorruptionCheckOptions {
  readonly memberId: bigint;
  readonly store: Store;
  readonly membership: Membership;
  readonly network: PeerNetwork;
  readonly logger: Logger;
}

/** What a peer says of its keyspace at the revision that it was asked about. */
interface PeerHash {
  readonly id: bigint;
  /** Its current revision. */
  readonly revision: number;
  readonly hash: number;
  readonly compactRevision: number;
}

/** Throws a {@link StartError} when a peer holds something else than this member, which has not begun. */
export async function checkBeforeStart(options: CorruptionCheckOptions): Promise<void> {
  const { memberId, store, logger } = options;
  const fields = { 'local-member-id': hexId(memberId) };
  logger('info', 'starting initial corruption check', fields);
  const own = await store.hashKv(0);
  const differing = (await askPeers(options, own.hashRevision)).filter(
    (peer) => peer.compactRevision === own.compactRevision && peer.hash !== own.hash,
  );
  if (differing.length > 0) {
    throw new StartError(`${hexId(memberId)} found data inconsistency with peers`);
  }
  logger('info', 'initial corruption checking passed; no corruption', fields);
}

export interface CorruptionMonitorOptions extends CorruptionCheckOptions {
  readonly clock: Clock;
  /** Pause between checks of the current state; 0: never. */
  readonly periodMs: number;
  /** Pause between checks of finished compactions; 0: never. */
  readonly compactionPeriodMs: number;
  readonly isLeader: () => boolean;
  readonly linearizableRead: () => Promise<void>;
  /** Raises CORRUPT for a member; 0n where nobody can tell who it is. */
  readonly raise: (memberId: bigint) => Promise<unknown>;
}

/** The leader's checks. One that fails (a peer away, no quorum) is made again after its pause. */
export class CorruptionMonitor {
  readonly #options: CorruptionMonitorOptions;
  readonly #timers = new Map<string, Timer>();
  #checkedCompaction = 0;
  #stopped = false;

  constructor(options: CorruptionMonitorOptions) {
    this.#options = options;
  }

  start(): void {
    const { periodMs, compactionPeriodMs } = this.#options;
    if (periodMs > 0) this.#plan('state', periodMs, () => this.checkState());
    if (compactionPeriodMs > 0) {
      this.#plan('compactions', compactionPeriodMs, () => this.checkCompactions());
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers.values()) timer.cancel();
  }

  #plan(name: string, periodMs: number, check: () => Promise<void>): void {
    const { clock, logger, isLeader } = this.#options;
    const again = (): void => {
      if (!this.#stopped) this.#plan(name, periodMs, check);
    };
    const run = async (): Promise<void> => {
      if (!isLeader()) return again();
      try {
        await check();
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        if (!this.#stopped) logger('warn', 'failed to check hash KV', { error: text });
      }
      again();
    };
    this.#timers.set(
      name,
      clock.after(periodMs, () => void run()),
    );
  }

  /** Compares the current state. */
  async checkState(): Promise<void> {
    const { store, linearizableRead } = this.#options;
    await linearizableRead();
    const before = await store.hashKv(0);
    const peers = await askPeers(this.#options, before.hashRevision);
    await linearizableRead();
    const now = { revision: store.currentRevision, compactRevision: store.compactRevision };
    const differs = peers.find(
      (peer) =>
        peer.revision > now.revision ||
        peer.compactRevision > now.compactRevision ||
        (peer.compactRevision === before.compactRevision && peer.hash !== before.hash),
    );
    if (differs !== undefined) await this.#found(differs.id, before);
  }

  /** Compares the newest finished compaction that all members have. */
  async checkCompactions(): Promise<void> {
    const own = this.#options.store.compactionHashes().toReversed();
    for (const hash of own) {
      if (hash.hashRevision <= this.#checkedCompaction) return;
      const peers = (await askPeers(this.#options, hash.hashRevision)).filter(
        (peer) => peer.compactRevision === hash.compactRevision,
      );
      const others = this.#options.membership.list().length - 1;
      if (others === 0 || peers.length < others) continue;
      this.#checkedCompaction = hash.hashRevision;
      return this.#judge(hash, peers);
    }
  }

  /** The majority is right; without one nobody can tell. */
  async #judge(own: KeyspaceHash, peers: readonly PeerHash[]): Promise<void> {
    const all = [{ id: this.#options.memberId, hash: own.hash }, ...peers];
    const votes = (hash: number): number => all.filter((one) => one.hash === hash).length;
    const right = all.find(({ hash }) => votes(hash) > all.length / 2);
    if (right === undefined) return this.#found(0n, own);
    for (const { id, hash } of all) if (hash !== right.hash) await this.#found(id, own);
  }

  async #found(id: bigint, { hashRevision, hash }: KeyspaceHash): Promise<void> {
    this.#options.logger('error', 'detected a hash mismatch: raising the CORRUPT alarm', {
      'corrupted-member-id': hexId(id),
      revision: hashRevision,
      hash,
    });
    await this.#options.raise(id);
  }
}

/** What the peers answer that can: one that is away, behind or compacted has nothing to compare. */
async function askPeers(options: CorruptionCheckOptions, revision: number): Promise<PeerHash[]> {
  const { membership, memberId } = options;
  const others = membership.list().filter(({ id }) => id !== memberId);
  const answers = await Promise.all(others.map((peer) => askPeer(options, peer, revision)));
  return answers.filter((answer) => answer !== undefined);
}

async function askPeer(
  { network, logger }: CorruptionCheckOptions,
  { id, peerUrls }: Member,
  revision: number,
): Promise<PeerHash | undefined> {
  const body = Buffer.from(JSON.stringify({ revision }));
  const request = { method: 'GET', path: '/members/hashkv', body } as const;
  try {
    const reply = await network.requestUrls(peerUrls, request, ASK_TIMEOUT_MS);
    const text = Buffer.from(reply.body).toString();
    if (reply.status !== 200) throw new Error(text.trimEnd());
    return { id, ...parseHash(text) };
  } catch (error) {
    logger('warn', 'failed to get the hash of a peer', {
      'remote-peer-id': hexId(id),
      revision,
      error: error instanceof Error ? error.message : String(error),
    });
    return undefined;
  }
}

function parseHash(text: string): Omit<PeerHash, 'id'> {
  const answer = JSON.parse(text) as {
    header?: { revision?: number };
    hash?: number;
    compact_revision?: number;
  };
  return {
    revision: answer.header?.revision ?? 0,
    hash: answer.hash ?? 0,
    compactRevision: answer.compact_revision ?? 0,
  };
}
