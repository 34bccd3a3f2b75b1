/**
 * A node's disk: outlives its processes. It is slow, full or damaged when told to be, and a crash leaves
 * what a real one would: everything synced, a prefix of what was only written, perhaps the write under way.
 *
 * Writes are whole or absent here: that a torn record is recognised as absent is the real store's
 * business and is tested there, bit by bit. A flipped bit is what its checksums make of it: a disk that
 * does not open (CORRUPT) until it is repaired or replaced.
 */
import type { Disk } from '../server/index.js';
import { MemorySpool, type Spool, StorageError } from '../storage/index.js';
import type { Chance } from './chance.js';
import type { EventLoop, EventOwner } from './event-loop.js';
import { KeyspaceImage } from './keyspace-image.js';
import { LogImage } from './log-image.js';
import type { Trace } from './trace.js';
import { VirtualBackend } from './virtual-backend.js';
import { VirtualRaftLog } from './virtual-raft-log.js';
import type { Device } from './write-queue.js';

/** Ranges in microseconds; short times are likelier. */
export interface DiskTiming {
  readonly writeUs: readonly [number, number];
  /** What an fsync adds. */
  readonly syncUs: readonly [number, number];
  readonly readUs: readonly [number, number];
  /** How often an fsync takes ten times as long. */
  readonly stallProbability: number;
}

export const FAST_DISK: DiskTiming = {
  writeUs: [20, 200],
  syncUs: [200, 3000],
  readUs: [10, 200],
  stallProbability: 0.01,
};

/** What is wrong with a disk at the moment. */
export interface DiskFaults {
  full: boolean;
  /** So many times as slow. */
  slowness: number;
  /** The next read of the log or the keyspace fails. */
  readError: boolean;
  /** A bit has flipped: found when the disk is opened. */
  corrupt: boolean;
}

export class VirtualDisk {
  readonly name: string;
  readonly faults: DiskFaults = { full: false, slowness: 1, readError: false, corrupt: false };
  readonly #loop: EventLoop;
  readonly #chance: Chance;
  readonly #timing: DiskTiming;
  readonly #trace: Trace;
  readonly #log = new LogImage();
  readonly #keyspace = new KeyspaceImage();
  #open: { log: VirtualRaftLog; backend: VirtualBackend } | undefined;

  constructor(
    name: string,
    loop: EventLoop,
    chance: Chance,
    trace: Trace,
    timing: DiskTiming = FAST_DISK,
  ) {
    this.name = name;
    this.#loop = loop;
    this.#chance = chance;
    this.#trace = trace;
    this.#timing = timing;
  }

  /** The log as a power cut at this moment could leave it. */
  get durableLog(): LogImage {
    return this.#log;
  }

  /** The log as the running process reads it: what it was told is written. */
  get readableLog(): LogImage {
    return this.#open?.log.readable ?? this.#log;
  }

  /** Opens it for the process `owner`. Rejects with a StorageError when a bit has flipped. */
  async open(owner: EventOwner): Promise<Disk> {
    await this.#pause(owner, 1000 + this.#draw(this.#timing.readUs));
    if (this.faults.corrupt) {
      throw new StorageError('CORRUPT', `${this.name}: a record has a wrong checksum`);
    }
    const device: Device = {
      afterWrite: (sync, action) => void this.#loop.schedule(this.#writeUs(sync), owner, action),
      refusal: () => this.#refusal(),
    };
    const read = () => this.#checkRead();
    const log = new VirtualRaftLog(this.#log, device, read);
    const backend = new VirtualBackend(this.#keyspace, device, read, () =>
      this.#pause(owner, this.#draw(this.#timing.readUs)),
    );
    this.#open = { log, backend };
    return {
      location: 'virtual disk',
      log,
      backend,
      createSpool: async () => new VirtualSpool(() => this.#refusal()),
      close: () => this.#close(log, backend),
    };
  }

  /**
   * The process is gone: killed (what the system had taken is kept) or with the whole machine (`powerLoss`:
   * what was not synced is kept up to anywhere).
   */
  crash(powerLoss: boolean): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const keep = (count: number) => (powerLoss ? this.#chance.integer(0, count) : count);
    const lostLog = open.log.crash(this.#chance.happens(0.5), keep);
    const lostKeyspace = open.backend.crash(this.#chance.happens(0.5), keep);
    this.#trace.record('disk', this.name, 'writes lost: log', lostLog, 'keyspace', lostKeyspace);
  }

  async #close(log: VirtualRaftLog, backend: VirtualBackend): Promise<void> {
    await backend.close();
    await log.close();
    if (this.#open?.log === log) this.crash(false);
  }

  #writeUs(sync: boolean): number {
    const { writeUs, syncUs, stallProbability } = this.#timing;
    const stall = sync && this.#chance.happens(stallProbability) ? 10 : 1;
    const us = this.#draw(writeUs) + (sync ? this.#draw(syncUs) * stall : 0);
    return us * this.faults.slowness;
  }

  #draw([low, high]: readonly [number, number]): number {
    return this.#chance.mostlyLow(low, high);
  }

  #pause(owner: EventOwner, us: number): Promise<void> {
    const delayUs = us * this.faults.slowness;
    return new Promise((resolve) => this.#loop.schedule(delayUs, owner, resolve));
  }

  #refusal(): StorageError | undefined {
    if (!this.faults.full) return undefined;
    return new StorageError('IO', `cannot write ${this.name}: no space left on the disk`);
  }

  #checkRead(): void {
    if (!this.faults.readError) return;
    this.faults.readError = false;
    throw new StorageError('IO', `cannot read ${this.name}: input/output error`);
  }
}

/** A spool on a disk that may be full. */
class VirtualSpool implements Spool {
  readonly #memory = new MemorySpool();
  readonly #refusal: () => StorageError | undefined;

  constructor(refusal: () => StorageError | undefined) {
    this.#refusal = refusal;
  }

  get size(): number {
    return this.#memory.size;
  }

  async append(bytes: Uint8Array): Promise<void> {
    const refusal = this.#refusal();
    if (refusal !== undefined) throw refusal;
    await this.#memory.append(bytes);
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    return this.#memory.read(offset, length);
  }

  close(): Promise<void> {
    return this.#memory.close();
  }
}
