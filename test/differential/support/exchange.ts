import type { Answer } from './raw-client.js';
import type { Landmarks } from './symbolic.js';
import type { Plain } from './wire.js';

/** One request as it was sent, and what both servers made of it. */
export interface Exchange {
  readonly method: string;
  /** References looked up; where servers chose lease ids, as etcd got it. */
  readonly request: Plain;
  readonly etcd: Answer;
  readonly kvorum: Answer;
  /** How a server that has ended did so, with what it last wrote. */
  readonly ended: readonly string[];
  /** Of etcd, before the request. */
  readonly landmarks: Landmarks;
}
