/**
 * Clients that put unique keys until they are told to stop, and remember what became of each put.
 * A put is never repeated: a put without an answer may or may not have happened, but only once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.js';

export interface Put {
  key: string;
  value: string;
  /** performance.now() at the call. */
  begunMs: number;
  /** Set when acknowledged. */
  ackedMs?: number;
  revision?: number;
}

export interface PutLoadOptions {
  prefix: string;
  /** Each sends its next put when the last is answered, to another member after a failure. */
  workers: number;
  /** A worker's pause between two puts. */
  pauseMs: number;
  /** One more client sends a put so often, answered or not: it shows when writes go on. */
  probeEveryMs: number;
  timeoutMs: number;
}

export class PutLoad {
  readonly puts: Put[] = [];
  readonly #clients: readonly Client[];
  readonly #options: PutLoadOptions;
  readonly #loops: Promise<void>[] = [];
  readonly #probes = new Set<Promise<boolean>>();
  #stopped = false;

  constructor(clients: readonly Client[], options: PutLoadOptions) {
    this.#clients = clients;
    this.#options = options;
    for (let worker = 0; worker < options.workers; worker++) this.#loops.push(this.#work(worker));
    this.#loops.push(this.#probe());
  }

  get acked(): Put[] {
    return this.puts.filter((put) => put.ackedMs !== undefined);
  }

  /** When the first put that was begun after `sinceMs` was acknowledged; undefined if none was yet. */
  firstAckMs(sinceMs: number): number | undefined {
    const late = this.puts.filter((put) => put.begunMs > sinceMs && put.ackedMs !== undefined);
    return late.length === 0 ? undefined : Math.min(...late.map((put) => put.ackedMs ?? Infinity));
  }

  /** Waits for such a put, at most `timeoutMs`; returns how long after `sinceMs` it was acknowledged. */
  async resumedAfterMs(sinceMs: number, timeoutMs: number): Promise<number> {
    for (;;) {
      const ackedMs = this.firstAckMs(sinceMs);
      if (ackedMs !== undefined) return ackedMs - sinceMs;
      if (performance.now() - sinceMs > timeoutMs) {
        throw new Error(`no put was acknowledged in ${timeoutMs} ms`);
      }
      await sleep(5);
    }
  }

  /** The longest time without an acknowledgement in [fromMs, toMs]. */
  longestGapMs(fromMs: number, toMs: number): number {
    const times = this.acked
      .map((put) => put.ackedMs ?? 0)
      .filter((ms) => ms >= fromMs && ms <= toMs)
      .sort((a, b) => a - b);
    let gap = 0;
    let last = fromMs;
    for (const ms of [...times, toMs]) {
      gap = Math.max(gap, ms - last);
      last = ms;
    }
    return gap;
  }

  /** Sends nothing more, and waits for the puts that are under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#loops);
    await Promise.all(this.#probes);
  }

  async #work(worker: number): Promise<void> {
    let target = worker;
    while (!this.#stopped) {
      if (!(await this.#put(target))) target++;
      await sleep(this.#options.pauseMs);
    }
  }

  async #probe(): Promise<void> {
    for (let target = 0; !this.#stopped; target++) {
      const probe = this.#put(target);
      this.#probes.add(probe);
      void probe.then(() => this.#probes.delete(probe));
      await sleep(this.#options.probeEveryMs);
    }
  }

  /** Returns whether it was acknowledged. */
  async #put(target: number): Promise<boolean> {
    const number = this.puts.length;
    const put: Put = {
      key: `${this.#options.prefix}${number}`,
      value: `attempt ${number}`,
      begunMs: performance.now(),
    };
    this.puts.push(put);
    const client = this.#clients[target % this.#clients.length] as Client;
    try {
      put.revision = await client.put(put.key, put.value, { timeoutMs: this.#options.timeoutMs });
      put.ackedMs = performance.now();
      return true;
    } catch {
      return false;
    }
  }
}
