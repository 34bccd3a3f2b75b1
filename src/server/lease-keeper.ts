/**
 * The leader's work on leases: revoking what has expired (through raft, so that all members agree), and
 * checkpointing long ones. Followers renew by asking the leader.
 */
import { type InternalOp, isEtcdError } from '../api/index.js';
import { hexIdPadded } from '../bytes/index.js';
import type { Lessor } from '../lease/index.js';
import type { Clock, Logger, Timer } from './environment.js';

/** etcd's figures. */
const SCAN_MS = 500;
const MAX_PER_SCAN = 500;
const MAX_REVOKES_IN_FLIGHT = 16;
const MAX_CHECKPOINTS_PER_ENTRY = 1000;

export interface LeaseKeeperOptions {
  lessor: Lessor;
  clock: Clock;
  logger: Logger;
  propose: (op: InternalOp) => Promise<unknown>;
  /** A lease has run out. */
  expired: () => void;
}

export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  #timer: Timer | undefined;
  #revokesInFlight = 0;
  #checkpointing = false;
  #stopped = false;
  /** Expired and waiting for one of the revokes in flight to end. */
  #expired: bigint[] = [];

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = this.#options.clock.after(SCAN_MS, () => this.#scan());
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #scan(): void {
    if (this.#stopped) return;
    this.start();
    const { lessor, clock } = this.#options;
    if (!lessor.isPrimary) {
      this.#expired = [];
      return;
    }
    if (this.#expired.length === 0) {
      this.#expired = lessor.expired(clock.monotonicMs(), MAX_PER_SCAN);
    }
    this.#revokeMore();
    this.#checkpoint();
  }

  #revokeMore(): void {
    const { lessor } = this.#options;
    while (this.#revokesInFlight < MAX_REVOKES_IN_FLIGHT && this.#expired.length > 0) {
      const id = this.#expired.shift()!;
      if (lessor.isPrimary && lessor.has(id)) this.#revoke(id);
    }
  }

  #revoke(id: bigint): void {
    this.#revokesInFlight++;
    this.#options.expired();
    const done = () => {
      this.#revokesInFlight--;
      if (!this.#stopped) this.#revokeMore();
    };
    this.#options.propose({ kind: 'leaseRevoke', request: { id } }).then(done, (error: unknown) => {
      if (!isEtcdError(error, 'leaseNotFound')) {
        // The lessor hands it out again later.
        this.#options.logger('warn', 'failed to revoke lease', {
          'lease-id': hexIdPadded(id),
          error: error instanceof Error ? error.message : String(error),
        });
      }
      done();
    });
  }

  #checkpoint(): void {
    const { lessor, clock, propose } = this.#options;
    if (this.#checkpointing) return;
    const checkpoints = lessor.dueCheckpoints(clock.monotonicMs(), MAX_CHECKPOINTS_PER_ENTRY);
    if (checkpoints.length === 0) return;
    this.#checkpointing = true;
    const done = () => (this.#checkpointing = false);
    propose({ kind: 'leaseCheckpoint', checkpoints }).then(done, done);
  }
}
