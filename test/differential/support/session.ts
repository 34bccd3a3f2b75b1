/** Sends steps to both servers of a pair and compares what comes back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from './exchange.js';
import { alignRemainingSeconds, normalise, orderTies } from './normalise.js';
import type { Pair, Side } from './pair.js';
import type { Answer, RawStream } from './raw-client.js';
import type { Step } from './step.js';
import { REMEMBERED_COMPACTIONS, resolve, type Landmarks } from './symbolic.js';
import type { Tally } from './tally.js';
import { explanation } from './version-differences.js';
import type { Plain } from './wire.js';

/** Two answers that differ, and no version of etcd's explains it. */
export interface Difference {
  readonly step: Step;
  readonly exchange: Exchange;
}

/** A step that is sent to nobody: the references of those after it know nothing of what was before. */
export const BEGIN_RUN: Step = { method: '(begin a run)', request: {} };

/** A step that asks for HashKV at each revision of this run that can be read, and at two that cannot. */
export const HASH_EVERY_REVISION: Step = { method: '(HashKV at every revision)', request: {} };
const HASHES_AT_ONCE = 8;

/**
 * A compaction that nobody waits for goes on for a moment. Until it is done, another one leaves no hash
 * behind, and where no key is alive etcd's HashKV counts records that are still to be deleted: 3.4 up to
 * its next commit, a tenth of a second later, and longer on a busy machine. So there is a pause first; and
 * hashes that differ soon after are asked for again.
 */
const COMPACTION_SETTLES_MS = 50;
const COMPACTION_SHOWS_MS = 5000;
const HASH_AGAIN_MS = 400;
const HASH_TRIES = 5;
const PROCESS_ENDS_MS = 500;
/** A lease of the shortest time must not expire while requests are compared. */
const SHORT_LEASE_MS = 1400;

/** What one of the two servers has told. */
interface View {
  readonly side: Side;
  readonly landmarks: Landmarks;
  keepAlive: RawStream | undefined;
}

interface Sent {
  readonly request: Plain;
  readonly answer: Answer;
}

export class Session {
  readonly #views: readonly [View, View];
  readonly #version: string;
  readonly #tally: Tally;
  #compactedBehindAt = -Infinity;
  #shortLeaseUntil = Infinity;

  constructor(pair: Pick<Pair, 'etcd' | 'kvorum' | 'version'>, tally: Tally) {
    const view = (side: Side): View => {
      const landmarks: Landmarks = { begin: 1, now: 1, compacted: 0, compactions: [], picked: [] };
      return { side, landmarks, keepAlive: undefined };
    };
    this.#views = [view(pair.etcd), view(pair.kvorum)];
    this.#version = pair.version;
    this.#tally = tally;
  }

  /** Is a short lease so old that it might expire on one server before the other? */
  get isLate(): boolean {
    return performance.now() > this.#shortLeaseUntil;
  }

  /** The leases that there are, as steps name them. Nothing is compared. */
  async leases(): Promise<unknown[]> {
    const [{ side, landmarks }] = this.#views;
    const { message } = await side.client.call('Lease/LeaseLeases', {});
    return ((message?.leases as Plain[] | undefined) ?? []).map(({ ID }) => {
      const picked = landmarks.picked.indexOf(ID as string);
      return picked < 0 ? ID : { $picked: picked };
    });
  }

  close(): void {
    for (const { keepAlive } of this.#views) keepAlive?.cancel();
  }

  /** Sends one step to both. */
  async send(step: Step): Promise<Difference | undefined> {
    if (step.method === BEGIN_RUN.method) return this.#beginRun();
    if (step.method === HASH_EVERY_REVISION.method) return this.#hashEveryRevision(step);
    await this.#settle(step);
    for (let tries = 1; ; tries++) {
      const difference = await this.#sendOnce(step);
      if (difference === undefined || tries === HASH_TRIES) return difference;
      const age = performance.now() - this.#compactedBehindAt;
      if (step.method !== 'Maintenance/HashKV' || age > COMPACTION_SHOWS_MS) return difference;
      this.#tally.hashesAskedAgain++;
      await sleep(HASH_AGAIN_MS);
    }
  }

  async #sendOnce(step: Step): Promise<Difference | undefined> {
    const landmarks = structuredClone(this.#views[0].landmarks);
    const [etcd, kvorum] = await Promise.all(this.#views.map((view) => sendTo(view, step)));
    this.#noteTimes(step, etcd!);
    const ended = isUnavailable(etcd!) || isUnavailable(kvorum!) ? await this.#ended() : [];
    const difference = this.#compare(step, etcd!, kvorum!, { landmarks, ended });
    this.#tally.count(step.method, etcd!.answer);
    return difference;
  }

  async #hashEveryRevision(step: Step): Promise<Difference | undefined> {
    const { begin, compacted, now } = this.#views[0].landmarks;
    for (let from = Math.max(begin, compacted) - 1; from <= now + 1; from += HASHES_AT_ONCE) {
      const revisions = Array.from({ length: HASHES_AT_ONCE }, (_, i) => from + i);
      const asked = revisions.filter((revision) => revision <= now + 1);
      const differences = await Promise.all(asked.map((revision) => this.#hashAt(revision)));
      const difference = differences.find((found) => found !== undefined);
      if (difference !== undefined) return { step, exchange: difference.exchange };
    }
    return undefined;
  }

  #hashAt(revision: number): Promise<Difference | undefined> {
    return this.send({ method: 'Maintenance/HashKV', request: { revision } });
  }

  #beginRun(): undefined {
    for (const { landmarks } of this.#views) {
      landmarks.begin = landmarks.now;
      landmarks.picked.length = 0;
    }
    this.#shortLeaseUntil = Infinity;
  }

  #compare(
    step: Step,
    etcd: Sent,
    kvorum: Sent,
    context: Pick<Exchange, 'landmarks' | 'ended'>,
  ): Difference | undefined {
    const { method } = step;
    const [a, b] = [etcd, kvorum].map(({ answer, request }, i) => {
      const { picked } = this.#views[i]!.landmarks;
      return normalise(answer, { method, request, picked });
    }) as [Answer, Answer];
    if (isDeepStrictEqual(a, b)) return undefined;
    const exchange = { method, request: etcd.request, etcd: a, kvorum: b, ...context };
    if (isUndefinedByEtcd(exchange)) {
      this.#tally.countUndefinedOrder();
      return undefined;
    }
    const explained = explanation(exchange, this.#version);
    if (explained === undefined) return { step, exchange };
    this.#tally.countExplained(explained.id);
    return undefined;
  }

  /** A server that ends does so a moment after its connections. */
  async #ended(): Promise<string[]> {
    await sleep(PROCESS_ENDS_MS);
    return this.#views.flatMap(({ side: { name, member } }) =>
      member.process?.exit === undefined ? [] : [`${name} has ended: ${member.process.describe()}`],
    );
  }

  async #settle({ method }: Step): Promise<void> {
    if (method !== 'KV/Compact' && method !== 'Maintenance/HashKV') return;
    const leftMs = this.#compactedBehindAt + COMPACTION_SETTLES_MS - performance.now();
    if (leftMs > 0) await sleep(leftMs);
  }

  #noteTimes({ method }: Step, { request, answer }: Sent): void {
    const now = performance.now();
    const behind = method === 'KV/Compact' && request.physical !== true;
    if (behind) this.#compactedBehindAt = now;
    if (method !== 'Lease/LeaseGrant' || answer.message === undefined) return;
    if (Number(answer.message.TTL) > 10) return;
    this.#shortLeaseUntil = Math.min(this.#shortLeaseUntil, now + SHORT_LEASE_MS);
  }
}

function isUnavailable({ answer }: Sent): boolean {
  return answer.error?.code === 'UNAVAILABLE';
}

/** Equal up to what etcd leaves open. */
function isUndefinedByEtcd({ method, request, etcd, kvorum }: Exchange): boolean {
  if (method === 'Lease/LeaseTimeToLive') alignRemainingSeconds(etcd, kvorum);
  if (method === 'KV/Range' && etcd.message !== undefined && kvorum.message !== undefined) {
    const comparable = orderTies(request, etcd.message) && orderTies(request, kvorum.message);
    if (!comparable) return etcd.message.count === kvorum.message.count;
  }
  return isDeepStrictEqual(etcd, kvorum);
}

async function sendTo(view: View, { method, request: symbolic }: Step): Promise<Sent> {
  const { landmarks } = view;
  const request = resolve(symbolic, landmarks);
  const answer = await answerTo(view, method, request);
  const { message } = answer;
  const revision = (message?.header as Plain | undefined)?.revision;
  if (revision !== undefined) landmarks.now = Number(revision);
  if (method === 'KV/Compact' && message !== undefined) {
    noteCompaction(landmarks, Number(request.revision ?? 0));
  }
  const chose = method === 'Lease/LeaseGrant' && BigInt((request.ID as string) ?? 0) === 0n;
  if (chose && message !== undefined) landmarks.picked.push(message.ID as string);
  return { request, answer };
}

function noteCompaction(landmarks: Landmarks, revision: number): void {
  landmarks.compacted = revision;
  landmarks.compactions.push(revision);
  if (landmarks.compactions.length > REMEMBERED_COMPACTIONS) landmarks.compactions.shift();
}

async function answerTo(view: View, method: string, request: Plain): Promise<Answer> {
  if (method !== 'Lease/LeaseKeepAlive') return view.side.client.call(method, request);
  view.keepAlive ??= view.side.client.stream(method);
  view.keepAlive.write(request);
  const answer = await view.keepAlive.next();
  if (answer.error !== undefined) view.keepAlive = undefined;
  return answer;
}
