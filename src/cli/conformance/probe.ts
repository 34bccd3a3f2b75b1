/** What a check has in hand: keys of its own, calls that are written down, and comparisons. */
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  EtcdError,
  type CompactionResponse,
  type DeleteRangeRequest,
  type DeleteRangeResponse,
  type EtcdErrorName,
  type KeyValue,
  type LeaseGrantRequest,
  type LeaseGrantResponse,
  type LeaseTimeToLiveResponse,
  type PutRequest,
  type PutResponse,
  type RangeRequest,
  type RangeResponse,
  type TxnRequest,
  type TxnResponse,
  etcdError,
} from '../../api/index.js';
import { rangeOf, type CallMetadata, type CallOptions, type Client } from '../../client/index.js';
import { KnownOddity, Mismatch, NotApplicable } from './findings.js';
import { KeepAliveProbe } from './keep-alive-probe.js';
import type { Oddity } from './oddities.js';
import { randomLeaseId } from './random-name.js';
import { show } from './show.js';
import { WatchProbe } from './watch-probe.js';

/** An answer that is not right, but known: `got` is that answer, or says whether it is. */
export interface Known {
  oddity: Oddity;
  got: unknown;
}

/** Parts of a request; the rest is zero. */
export type PutFields = Partial<PutRequest>;
export type RangeFields = Partial<RangeRequest>;
export type TxnFields = Partial<TxnRequest>;

export interface ProbeOptions {
  /** Clients of one member each; the first is the one that is checked. */
  clients: readonly Client[];
  /** The check's keys begin with it; it ends in '/'. */
  prefix: string;
  /** Options of a call that starts now. */
  timed: () => CallOptions;
  /** How long an answer on a stream may take that must come, in milliseconds. */
  answerMs: number;
  /** Aborted when the check's time is up or the run ends. */
  signal: AbortSignal;
}

/** How often a check is tried that other clients' writes may disturb. */
const UNDISTURBED_ATTEMPTS = 5;

export class Probe {
  readonly prefix: string;
  /** The first key behind all of the check's. */
  readonly prefixEnd: string;
  readonly clients: readonly Client[];
  readonly client: Client;
  readonly signal: AbortSignal;
  /** How long an answer on a stream may take that must come, in milliseconds. */
  readonly answerMs: number;
  readonly #timed: () => CallOptions;
  readonly #shorter: readonly (readonly [string, string])[];
  #requests: string[] = [];
  readonly #leases = new Set<bigint>();
  readonly #streams: { cancel(): void }[] = [];
  readonly #calls = new Set<Promise<unknown>>();
  #streamCount = 0;

  constructor({ clients, prefix, timed, answerMs, signal }: ProbeOptions) {
    this.answerMs = answerMs;
    this.clients = clients;
    this.client = clients[0]!;
    this.prefix = prefix;
    this.prefixEnd = prefix.slice(0, -1) + '0';
    this.signal = signal;
    this.#timed = timed;
    this.#shorter = [[prefix.slice(0, -1), 'P']];
  }

  /** The key that this check calls `name`. */
  key(name: string): string {
    return this.prefix + name;
  }

  /** Options for a call that starts now. */
  timed(metadata: CallMetadata = {}): CallOptions {
    return { ...this.#timed(), metadata };
  }

  // Calls.

  put(name: string, value = '', fields: PutFields = {}): Promise<PutResponse> {
    const request: PutRequest = { ...putOf(this.key(name), value), ...fields };
    return this.call('Put', request, () => this.client.kv.put(request, this.timed()));
  }

  /** Reads one key. */
  get(name: string, fields: RangeFields = {}): Promise<RangeResponse> {
    return this.range({ key: this.key(name), ...fields });
  }

  /** Reads all keys of the check. */
  list(fields: RangeFields = {}): Promise<RangeResponse> {
    return this.range({ key: this.prefix, rangeEnd: this.prefixEnd, ...fields });
  }

  range(fields: RangeFields, client = this.client): Promise<RangeResponse> {
    const request: RangeRequest = { ...rangeOf(''), ...fields };
    return this.call('Range', request, () => client.kv.range(request, this.timed()));
  }

  delete(name: string, fields: Partial<DeleteRangeRequest> = {}): Promise<DeleteRangeResponse> {
    const request = { key: this.key(name), rangeEnd: '', prevKv: false, ...fields };
    return this.call('DeleteRange', request, () =>
      this.client.kv.deleteRange(request, this.timed()),
    );
  }

  txn(fields: TxnFields): Promise<TxnResponse> {
    const request: TxnRequest = { compare: [], success: [], failure: [], ...fields };
    return this.call('Txn', request, () => this.client.kv.txn(request, this.timed()));
  }

  /** Only in checks that say so: all users of the server lose their old revisions. */
  compact(revision: number | bigint, physical = false): Promise<CompactionResponse> {
    const request = { revision, physical };
    return this.call('Compact', request, () => this.client.kv.compact(request, this.timed()));
  }

  /** Grants a lease that is revoked after the check; the id is chosen here if none is given. */
  async grant(
    ttl: number | bigint = 60,
    fields: Partial<LeaseGrantRequest> = {},
  ): Promise<LeaseGrantResponse> {
    const request = { ttl, id: randomLeaseId(), ...fields };
    if (request.id !== 0n) this.#leases.add(request.id);
    const response = await this.call('LeaseGrant', request, () =>
      this.client.lease.grant(request, this.timed()),
    );
    this.#leases.add(response.id);
    return response;
  }

  revoke(id: bigint): Promise<unknown> {
    return this.call('LeaseRevoke', { id }, () => this.client.lease.revoke({ id }, this.timed()));
  }

  timeToLive(id: bigint, keys = false, client = this.client): Promise<LeaseTimeToLiveResponse> {
    const request = { id, keys };
    return this.call('LeaseTimeToLive', request, () =>
      client.lease.timeToLive(request, this.timed()),
    );
  }

  /** A watch stream of its own. */
  async watches(metadata: CallMetadata = {}, client = this.client): Promise<WatchProbe> {
    const label = this.#streamLabel('Watch');
    const stream = await this.inTime(client.raw.watch(metadata));
    this.#streams.push(stream);
    return new WatchProbe(this, label, stream);
  }

  /** A keep-alive stream of its own. */
  async keepAlives(client = this.client): Promise<KeepAliveProbe> {
    const label = this.#streamLabel('LeaseKeepAlive');
    const stream = await this.inTime(client.raw.keepAlive());
    this.#streams.push(stream);
    return new KeepAliveProbe(this, label, stream);
  }

  /** A message as bytes to any method. */
  raw(path: string, message: Uint8Array, metadata: CallMetadata = {}): Promise<Uint8Array> {
    return this.call(path, message, () =>
      this.client.raw.unary(path, message, this.timed(metadata)),
    );
  }

  /** Writes a call down, makes it, and waits for it no longer than the check lasts. */
  call<T>(name: string, request: unknown, make: () => Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    this.note(`${name} ${this.show(request)}`);
    const made = make();
    this.#calls.add(made);
    const forget = (): void => void this.#calls.delete(made);
    made.then(forget, forget);
    return this.inTime(made);
  }

  /** Adds a line to what is printed when the check fails. */
  note(line: string): void {
    this.#requests.push(line);
  }

  /** Forgets what was written down: what follows does not depend on it. */
  startOver(): void {
    this.#requests = [];
  }

  get requests(): string[] {
    return this.#requests;
  }

  show(value: unknown): string {
    return show(value, this.#shorter);
  }

  // Comparisons.

  /** Is `got` exactly `expected`? Or one of the answers known of etcd? */
  equal(what: string, got: unknown, expected: unknown, ...known: readonly Known[]): void {
    if (isDeepStrictEqual(got, expected)) return;
    this.mismatch(new Mismatch(what, this.show(expected), this.show(got)), got, known);
  }

  /** Does `holds`? `expected` says it in words. */
  that(what: string, holds: boolean, expected: string, got: unknown, ...known: Known[]): void {
    if (!holds) this.mismatch(new Mismatch(what, expected, this.show(got)), got, known);
  }

  /** Is the call refused with exactly this error of etcd's table? */
  async refused(
    what: string,
    call: Promise<unknown>,
    name: EtcdErrorName,
    ...known: readonly Known[]
  ): Promise<void> {
    const got = await outcomeOf(call);
    const expected = etcdError(name);
    const same = got instanceof EtcdError && statusOf(got) === statusOf(expected);
    if (same) return;
    const shown = got instanceof EtcdError ? this.show(got) : `an answer: ${this.show(got)}`;
    this.mismatch(new Mismatch(what, this.show(expected), shown), comparable(got), known);
  }

  /** Throws `mismatch`, as an oddity if `got` is one of the known answers. */
  mismatch(mismatch: Mismatch, got: unknown, known: readonly Known[]): never {
    const fits = known.find((each) =>
      typeof each.got === 'function' ? each.got(got) === true : isDeepStrictEqual(got, each.got),
    );
    throw fits === undefined ? mismatch : new KnownOddity(fits.oddity, mismatch);
  }

  /** Ends the check: it cannot say anything here. */
  notApplicable(reason: string): never {
    throw new NotApplicable(reason);
  }

  /**
   * For what other clients' writes may disturb, such as "the revision stays": enough that one of five
   * attempts shows it. `attempt` gets its number, for keys of its own.
   */
  async undisturbed(attempt: (number: number) => Promise<void>): Promise<void> {
    for (let number = 1; ; number++) {
      this.startOver();
      try {
        return await attempt(number);
      } catch (error) {
        if (!(error instanceof Mismatch) || number === UNDISTURBED_ATTEMPTS) throw error;
      }
    }
  }

  async pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.signal });
  }

  /** What `work` comes to, unless the check's time is up before. */
  async inTime<T>(work: Promise<T>): Promise<T> {
    work.catch(() => {}); // it may fail later
    let stop = (): void => {};
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(this.signal.reason);
      this.signal.addEventListener('abort', stop, { once: true });
    });
    aborted.catch(() => {});
    try {
      this.signal.throwIfAborted();
      return await Promise.race([work, aborted]);
    } finally {
      this.signal.removeEventListener('abort', stop);
    }
  }

  /** Takes back all that the check has done to the server. Throws EtcdError when the server refuses. */
  async cleanUp(): Promise<void> {
    for (const stream of this.#streams) stream.cancel();
    await Promise.allSettled(this.#calls); // they have deadlines
    const keys = { key: this.prefix, rangeEnd: this.prefixEnd, prevKv: false };
    await this.client.kv.deleteRange(keys, this.timed());
    await Promise.all([...this.#leases].map((id) => this.#revokeQuietly(id)));
  }

  async #revokeQuietly(id: bigint): Promise<void> {
    const gone = await outcomeOf(this.client.lease.revoke({ id }, this.timed()));
    if (gone instanceof EtcdError && gone.name !== 'leaseNotFound') throw gone;
  }

  #streamLabel(kind: string): string {
    this.#streamCount++;
    return `${kind}#${this.#streamCount}`;
  }
}

/** Put's request for a key; zero but for the value. */
export function putOf(key: string, value = ''): PutRequest {
  return { key, value, lease: 0n, prevKv: false, ignoreValue: false, ignoreLease: false };
}

/** A pair as it is read. */
export function pair(
  key: string,
  value: string,
  [createRevision, modRevision, version]: readonly [number, number, number],
  lease = 0n,
): KeyValue {
  return { key, createRevision, modRevision, version, value, lease };
}

/** The revision of an answer's header; 0 when there is none. */
export function revisionOf(response: { header?: { revision: number } }): number {
  return response.header?.revision ?? 0;
}

/** What a call comes to: its answer, or its refusal. */
export async function outcomeOf<T>(call: Promise<T>): Promise<T | EtcdError> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof EtcdError) return error;
    throw error;
  }
}

/** Code and text of a refusal, as {@link Known} compares them. */
export function statusOf(error: EtcdError): string {
  return `${error.code} ${error.message}`;
}

function comparable(outcome: unknown): unknown {
  return outcome instanceof EtcdError ? statusOf(outcome) : outcome;
}
