/** What a comparison is made of: a line measures some figures of one server. */
import type { Server } from './server.js';

/** One figure of a line, the same for both servers. */
export interface FigureSpec {
  name: string;
  /** Behind the number: `/s`, `ms`, `MiB`, `us`, `s`, `x`. */
  unit: string;
  /** Which way is better; a figure that only explains others has none. */
  better?: 'more' | 'less';
  /** What Kvorum's median must keep to: a bound for itself, or for its ratio to etcd's. */
  goal?: { atMost?: number; ratioAtMost?: number; ratioAtLeast?: number };
}

/** How large a line is to be made. */
export interface Scale {
  /** `count` of the full size, made smaller for a trial; at least 1. */
  of(count: number): number;
  /** Length of a closed loop. */
  seconds: number;
}

export interface Bench extends Scale {
  /** A server of this round's kind on an empty data dir; it ends with the line. */
  start(): Promise<Server>;
}

export interface Line {
  name: string;
  what: string;
  figures: readonly FigureSpec[];
  /** Measures once; the result has a number for each of `figures`, by name. */
  run(bench: Bench): Promise<Record<string, number>>;
}
