/**
 * How writes reach a virtual device: one group at a time, in order, each group after a delay; what gathers
 * meanwhile shares the next (group commit). A group that asks for it ends with an fsync, which makes it and
 * all before it durable.
 */
import type { StorageError } from '../storage/index.js';

export interface QueuedWrite<Write> {
  readonly write: Write;
  readonly sync: boolean;
  /** It is written: readers may see it. */
  readonly done: () => void;
  readonly refused: (error: StorageError) => void;
}

/** What the queue asks of its disk. */
export interface Device {
  /** Runs `action` when a group has been written; never, if the process dies before. */
  afterWrite(sync: boolean, action: () => void): void;
  /** Why writes are refused now, or undefined. */
  refusal(): StorageError | undefined;
}

export class WriteQueue<Write> {
  readonly #device: Device;
  #gathered: QueuedWrite<Write>[] = [];
  #inFlight: QueuedWrite<Write>[] = [];
  /** Written, and not known to survive a power cut. */
  #unsynced: Write[] = [];
  /** Where what is durable goes, in order. */
  readonly #makeDurable: (write: Write) => void;
  #broken: StorageError | undefined;
  #isDead = false;
  readonly #idle: (() => void)[] = [];

  constructor(device: Device, makeDurable: (write: Write) => void) {
    this.#device = device;
    this.#makeDurable = makeDurable;
  }

  /** The first refusal is final: no later write reaches the device. */
  submit(write: QueuedWrite<Write>): void {
    if (this.#broken !== undefined) return write.refused(this.#broken);
    this.#gathered.push(write);
    if (this.#inFlight.length === 0) this.#begin();
  }

  /** Resolves when nothing is on its way. */
  idle(): Promise<void> {
    if (this.#inFlight.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /**
   * The process is gone. What was on its way may have arrived (`inFlightArrives`); of what was written
   * and not synced a prefix of `keep(count)` is left. What remains is durable: it is on the disk now.
   * Returns how many writes were lost.
   */
  crash(inFlightArrives: boolean, keep: (count: number) => number): number {
    this.#isDead = true;
    const kept = keep(this.#unsynced.length);
    const whole = kept === this.#unsynced.length;
    const arrived = whole && inFlightArrives ? this.#inFlight.map(({ write }) => write) : [];
    const lost = this.#unsynced.length - kept + this.#inFlight.length - arrived.length;
    for (const write of this.#unsynced.slice(0, kept)) this.#makeDurable(write);
    for (const write of arrived) this.#makeDurable(write);
    return lost + this.#gathered.length;
  }

  #begin(): void {
    const group = this.#gathered;
    this.#gathered = [];
    this.#inFlight = group;
    this.#device.afterWrite(
      group.some(({ sync }) => sync),
      () => this.#written(group),
    );
  }

  #written(group: QueuedWrite<Write>[]): void {
    if (this.#isDead) return;
    this.#inFlight = [];
    const refusal = this.#device.refusal();
    if (refusal !== undefined) return this.#break(group, refusal);
    this.#keep(group);
    if (this.#gathered.length > 0) this.#begin();
    else this.#tellIdle();
    for (const { done } of group) done();
  }

  #break(group: QueuedWrite<Write>[], refusal: StorageError): void {
    this.#broken = refusal;
    const waiting = this.#gathered;
    this.#gathered = [];
    this.#tellIdle();
    for (const { refused } of [...group, ...waiting]) refused(refusal);
  }

  #tellIdle(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #keep(group: QueuedWrite<Write>[]): void {
    for (const { write } of group) this.#unsynced.push(write);
    if (!group.some(({ sync }) => sync)) return;
    for (const write of this.#unsynced) this.#makeDurable(write);
    this.#unsynced = [];
  }
}
