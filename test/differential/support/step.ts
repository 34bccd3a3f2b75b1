import type { Plain } from './wire.js';

/** One request of a list, with references in it (see symbolic.ts). */
export interface Step {
  /** Such as `KV/Range`. */
  readonly method: string;
  readonly request: Plain;
}
