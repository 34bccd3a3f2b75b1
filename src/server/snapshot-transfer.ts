/**
 * Snapshots between members: a follower whose next entry is gone from the leader's log gets the whole
 * keyspace as a bbolt file behind the raft message, as etcd's members exchange it.
 */
import { assert } from '../api/index.js';
import { BUCKETS, type Bucket, MetaKey, type Pair, encodeUint64 } from '../backend/index.js';
import { BoltReader, checkBoltFile, planBoltFile } from '../bolt/index.js';
import { hexId } from '../bytes/index.js';
import { type StoreV2, confStateJson, memberJson, storeV2Json } from '../codec/index.js';
import type { Message, Snapshot, SnapshotMetadata } from '../raft/index.js';
import type { RaftLog, Spool } from '../storage/index.js';
import type { Disk, Logger } from './environment.js';
import { type Membership, REMOVED_RECORD } from './membership.js';
import type { PeerNetwork } from './peer-network.js';
import { boltSourceOf } from './snapshot-source.js';

/** Snapshots that may be on their way at once; others fail and raft asks again later. */
const MAX_SENDING = 16;

/** Received snapshots that may wait for raft's decision at once; each takes disk space. */
const MAX_RECEIVED = 2;

export interface SnapshotTransferOptions {
  disk: Disk;
  network: PeerNetwork;
  membership: Membership;
  logger: Logger;
  /** Writes the applied state's description into the backend's buffer, and returns it. */
  markApplied: () => SnapshotMetadata;
  /** Tell raft how sending to `id` ended. */
  report: (id: bigint, ok: boolean) => void;
}

export class SnapshotTransfer {
  readonly #options: SnapshotTransferOptions;
  /** Applied index of each snapshot under way: the log after it must be kept. */
  readonly #sending = new Map<bigint, number>();
  /** Received and not yet taken up by raft, by snapshot index. */
  readonly #received = new Map<number, Spool>();

  constructor(options: SnapshotTransferOptions) {
    this.#options = options;
  }

  /** The lowest index whose successors a follower on its way up still needs. */
  lowestSending(): number | undefined {
    return this.#sending.size === 0 ? undefined : Math.min(...this.#sending.values());
  }

  /** Sends the state as it is now, which is newer than what raft's `message` describes. */
  send(message: Message): void {
    if (this.#sending.size >= MAX_SENDING || this.#sending.has(message.to)) {
      this.#options.report(message.to, false);
      return;
    }
    const metadata = this.#options.markApplied();
    this.#sending.set(message.to, metadata.index);
    this.#send(message, metadata).catch((error: unknown) => {
      this.#options.logger('warn', 'failed to send database snapshot to peer', {
        'remote-peer-id': hexId(message.to),
        error: error instanceof Error ? error.message : String(error),
      });
      this.sent(message.to, false);
    });
  }

  /** The network is done with it. */
  sent(id: bigint, ok: boolean): void {
    if (!this.#sending.delete(id)) return;
    this.#options.report(id, ok);
  }

  async #send(message: Message, metadata: SnapshotMetadata): Promise<void> {
    // Nothing can be applied between the mark and the view: it is the state at metadata.index.
    const view = this.#options.disk.backend.snapshot();
    const { membership } = this.#options;
    const data = storeV2Json.encode({
      members: membership.list(),
      removedIds: membership.removedIds(),
      clusterVersion: membership.clusterVersion ?? '',
    });
    try {
      const plan = await planBoltFile(boltSourceOf(view));
      this.#options.network.sendSnapshot(
        { ...message, snapshot: { metadata, data } },
        closingAfter(plan.write(), () => view.close()),
      );
    } catch (error) {
      await view.close();
      throw error;
    }
  }

  /** Keeps an arriving snapshot's file until raft has decided about it. */
  async receive(message: Message, body: AsyncIterable<Uint8Array>): Promise<void> {
    const { snapshot } = message;
    assert(snapshot !== undefined, () => 'snapshot message without a snapshot');
    if (this.#received.size >= MAX_RECEIVED) throw new Error('too many snapshots waiting');
    const spool = await this.#options.disk.createSpool();
    try {
      for await (const chunk of body) await spool.append(chunk);
      const problems = await checkBoltFile(spool);
      assert(problems.length === 0, () => `snapshot from peer is damaged: ${problems[0]}`);
    } catch (error) {
      await spool.close();
      throw error;
    }
    await this.#received.get(snapshot.metadata.index)?.close();
    this.#received.set(snapshot.metadata.index, spool);
  }

  /** Those at or before the applied index are of no use any more. */
  async discardUpTo(appliedIndex: number): Promise<void> {
    await this.#discard((index) => index <= appliedIndex);
  }

  /**
   * Raft has seen `message`. It waits for the snapshot at index `wanted` to be installed, if that is given:
   * those before it are of no use any more, and neither is this one if it is another.
   */
  async decided({ snapshot }: Message, wanted: number | undefined): Promise<void> {
    const own = snapshot!.metadata.index;
    await this.#discard((index) => index < (wanted ?? 0) || (index === own && own !== wanted));
  }

  async #discard(isUseless: (index: number) => boolean): Promise<void> {
    for (const [index, spool] of this.#received) {
      if (!isUseless(index)) continue;
      this.#received.delete(index);
      await spool.close();
    }
  }

  /**
   * Puts the received state in place of our own, in an order that a crash may interrupt anywhere: the
   * keyspace switches in one atomic step; a start that finds it ahead of the log completes the log
   * ({@link completeInstall}).
   */
  async install(
    snapshot: Snapshot,
    hardState: { term: number; vote: bigint; commit: number },
  ): Promise<void> {
    const { metadata, data } = snapshot;
    const spool = this.#received.get(metadata.index);
    assert(spool !== undefined, () => `snapshot ${metadata.index} was accepted but never received`);
    this.#received.delete(metadata.index);
    const reader = await BoltReader.open(spool);
    assert(
      (await reader.get('auth', 'authEnabled'))?.[0] !== 1,
      () =>
        `the snapshot at ${metadata.index} has authentication enabled, which cannot be applied here`,
    );
    const members = data.length > 0 ? storeV2Json.decode(data) : undefined;
    await this.#options.disk.backend.replace(pairsOf(reader, metadata, members));
    await this.#options.disk.log.install(metadata, hardState);
    await spool.close();
  }
}

/**
 * At start: a keyspace that is ahead of the log means that an installation was interrupted between its
 * two steps. Entries are always logged before they are applied, so nothing else leads here.
 */
export async function completeInstall(log: RaftLog, applied: SnapshotMetadata): Promise<boolean> {
  if (applied.index <= log.lastIndex()) return false;
  const { hardState } = log.initialState();
  const term = Math.max(hardState.term, applied.term);
  const vote = term === hardState.term ? hardState.vote : 0n;
  await log.install(applied, { term, vote, commit: applied.index });
  return true;
}

/** The file's pairs, with the meta records that must agree with the message set from it. */
async function* pairsOf(
  reader: BoltReader,
  metadata: SnapshotMetadata,
  v2: StoreV2 | undefined,
): AsyncGenerator<readonly [Bucket, Pair]> {
  const present = new Set(reader.buckets());
  for (const bucket of BUCKETS) {
    if (v2 !== undefined && (bucket === 'members' || bucket === 'members_removed')) {
      yield* memberPairs(bucket, v2);
    } else if (present.has(bucket)) {
      for await (const chunk of reader.pairs(bucket)) {
        for (const [key, value] of chunk) {
          if (bucket !== 'meta' || !APPLIED_KEYS.has(key)) yield [bucket, [key, value.slice()]];
        }
      }
    }
  }
  for (const [key, value] of appliedRecords(metadata)) yield ['meta', [key, value]];
}

/** What `consistent_index`, `term` and `confState` must say for the state at `metadata`. */
export function appliedRecords(metadata: SnapshotMetadata): [string, Uint8Array][] {
  return [
    [MetaKey.consistentIndex, encodeUint64(metadata.index)],
    [MetaKey.term, encodeUint64(metadata.term)],
    [MetaKey.confState, confStateJson.encode(metadata.confState)],
  ];
}

/** The keys of {@link appliedRecords}. */
export const APPLIED_KEYS: ReadonlySet<string> = new Set([
  MetaKey.consistentIndex,
  MetaKey.term,
  MetaKey.confState,
]);

/** Leaders up to 3.5 keep the membership's truth in the message, not in the buckets. */
function* memberPairs(bucket: Bucket, v2: StoreV2): Generator<readonly [Bucket, Pair]> {
  if (bucket === 'members') {
    for (const member of v2.members) yield [bucket, [hexId(member.id), memberJson.encode(member)]];
  } else {
    for (const id of v2.removedIds) yield [bucket, [hexId(id), REMOVED_RECORD]];
  }
}

async function* closingAfter(
  chunks: AsyncIterable<Uint8Array>,
  close: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    await close();
  }
}
