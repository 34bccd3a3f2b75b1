/**
 * The four doors through which the outside reaches a member: time, chance, disk and network. The
 * process opens real ones; the simulator opens virtual ones, and the member cannot tell.
 */
import type { Backend } from '../backend/index.js';
import type { RaftLog, Spool } from '../storage/index.js';
import type { MemberMetrics } from './metrics/member-metrics.js';
import type { PeerNetwork } from './peer-network.js';

export interface Timer {
  /** Harmless when it has fired or was cancelled before. */
  cancel(): void;
}

export interface Clock {
  /** Milliseconds from an arbitrary start; never goes back; may have fractions. */
  monotonicMs(): number;
  /** Unix milliseconds. May jump: for ids and log lines only, never for leases or elections. */
  wallMs(): number;
  /** Calls `action` once, no sooner than `delayMs` from now. */
  after(delayMs: number, action: () => void): Timer;
  /** Calls `action` in a later turn of the event loop, after I/O that is ready now. */
  nextTurn(action: () => void): void;
}

export interface Random {
  /** Uniform in 0 to 2^32 - 1. */
  uint32(): number;
}

/** One member's data dir, opened: nobody else can open it until it is closed. */
export interface Disk {
  /** What messages call it: the data dir. */
  readonly location: string;
  readonly log: RaftLog;
  readonly backend: Backend;
  /** Temporary room for a snapshot that arrives; gone when closed or at the next start. */
  createSpool(): Promise<Spool>;
  close(): Promise<void>;
}

export interface Environment {
  clock: Clock;
  random: Random;
  disk: Disk;
  network: PeerNetwork;
  /** Structured log lines; the process prints them as etcd's zap would. */
  log: Logger;
  /** Where the member counts what it does; its own by default. One for each member. */
  metrics?: MemberMetrics;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** `fields` are printed in order after the message. */
export type Logger = (level: LogLevel, message: string, fields?: Record<string, unknown>) => void;
