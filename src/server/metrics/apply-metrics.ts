/** What applying requests adds to the metrics, and the line about one that was slow. */
import type { InternalOp, PutRequest, TxnResponse } from '../../api/index.js';
import type { Logger } from '../environment.js';
import type { ApplyResult } from '../proposals.js';
import type { MemberMetrics } from './member-metrics.js';
import type { Histogram } from './registry.js';

interface OpSeconds {
  readonly done: Histogram;
  readonly refused: Histogram;
}

export class ApplyMetrics {
  readonly #metrics: MemberMetrics;
  readonly #logger: Logger;
  readonly #slowMs: number;
  readonly #seconds = new Map<InternalOp['kind'], OpSeconds>();

  /** An apply that takes longer than `slowMs` is named in the log. */
  constructor(metrics: MemberMetrics, logger: Logger, slowMs: number) {
    this.#metrics = metrics;
    this.#logger = logger;
    this.#slowMs = slowMs;
  }

  applied(op: InternalOp, result: ApplyResult, tookMs: number): void {
    const { done, refused } = this.#secondsOf(op.kind);
    const refusal = 'error' in result;
    (refusal ? refused : done).observe(tookMs / 1000);
    if (!refusal) this.#count(op, result.value);
    if (tookMs > this.#slowMs) this.#slow(op, result, tookMs);
  }

  #secondsOf(kind: InternalOp['kind']): OpSeconds {
    const known = this.#seconds.get(kind);
    if (known !== undefined) return known;
    const { applySeconds } = this.#metrics;
    const name = kind[0]!.toUpperCase() + kind.slice(1);
    const made = {
      done: applySeconds.with('v3', name, 'true'),
      refused: applySeconds.with('v3', name, 'false'),
    };
    this.#seconds.set(kind, made);
    return made;
  }

  #count(op: InternalOp, value: unknown): void {
    const metrics = this.#metrics;
    switch (op.kind) {
      case 'put':
        return this.#countPut(op.request);
      case 'deleteRange':
        metrics.deletes.value++;
        return;
      case 'txn':
        return this.#countTxn(value as TxnResponse);
      case 'leaseGrant':
        metrics.leasesGranted.value++;
        return;
      case 'leaseRevoke':
        metrics.leasesRevoked.value++;
        return;
      default:
    }
  }

  #countPut({ key, value }: PutRequest): void {
    this.#metrics.puts.value++;
    this.#metrics.putBytes.value += key.length + value.length;
  }

  /** As etcd counts: a transaction of one operation is that operation. */
  #countTxn({ responses }: TxnResponse): void {
    const metrics = this.#metrics;
    if (responses.length > 1) metrics.txns.value++;
    for (const response of responses) {
      if (response.kind === 'put') metrics.puts.value++;
      else if (response.kind === 'deleteRange') metrics.deletes.value++;
      else if (response.kind === 'range') metrics.ranges.value++;
      else this.#countTxn(response.response);
    }
  }

  #slow(op: InternalOp, result: ApplyResult, tookMs: number): void {
    this.#metrics.slowApplies.value++;
    this.#logger('warn', 'apply request took too long', {
      took: `${tookMs.toFixed(3)}ms`,
      'expected-duration': `${this.#slowMs}ms`,
      prefix: '',
      request: op.kind,
      ...('error' in result && { error: result.error.message }),
    });
  }
}
