/** A client with a memory: how far it has seen the keyspace. */
import type { OperationKind, OperationTypes } from '../history.js';
import type { WorkloadClient } from './workload-client.js';

export class Session {
  readonly client: WorkloadClient;
  #lastRevision = 1;

  constructor(client: WorkloadClient) {
    this.client = client;
  }

  /** Highest revision that any answer has shown. */
  get lastRevision(): number {
    return this.#lastRevision;
  }

  /** The answer, or undefined when there was none, or a refusal. */
  async ask<Kind extends OperationKind>(
    place: number,
    kind: Kind,
    request: OperationTypes[Kind]['request'],
  ): Promise<OperationTypes[Kind]['response'] | undefined> {
    const outcome = await this.client.call(place, kind, request);
    if (outcome.kind !== 'ok') return undefined;
    this.sees(outcome.response.header?.revision ?? 0);
    return outcome.response;
  }

  /** Something else has shown `revision`. */
  sees(revision: number): void {
    this.#lastRevision = Math.max(this.#lastRevision, revision);
  }

  /** A revision `back` before the last seen, at least 1. */
  revisionBefore(back: number): number {
    return Math.max(1, this.#lastRevision - back);
  }
}
