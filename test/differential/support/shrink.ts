/** Makes a list of steps that shows a difference as small as it can be made. */
import type { Difference } from './session.js';
import type { Step } from './step.js';

/** Runs a list on servers with nothing in them. */
export type Trial = (steps: readonly Step[]) => Promise<Difference | undefined>;

export interface Shrunk {
  readonly steps: readonly Step[];
  readonly difference: Difference;
  readonly tries: number;
}

/**
 * First steps go, in halves, quarters and one by one, then parts of the requests, as long as the same
 * kind of difference is left and there is time. Undefined when the whole list does not show it any more.
 */
export async function shrink(
  steps: readonly Step[],
  trial: Trial,
  maxMs = 120_000,
): Promise<Shrunk | undefined> {
  const shrinker = new Shrinker(trial, performance.now() + maxMs);
  return shrinker.run(steps);
}

class Shrinker {
  readonly #trial: Trial;
  readonly #untilMs: number;
  #tries = 0;
  #best: { steps: readonly Step[]; difference: Difference } | undefined;

  constructor(trial: Trial, untilMs: number) {
    this.#trial = trial;
    this.#untilMs = untilMs;
  }

  async run(steps: readonly Step[]): Promise<Shrunk | undefined> {
    const difference = await this.#trial(steps);
    if (difference === undefined) return undefined;
    this.#best = { steps: upTo(steps, difference), difference };
    // A request that has become smaller may need fewer steps before it.
    do await this.#fewerSteps();
    while (await this.#smallerRequests());
    return { ...this.#best, tries: this.#tries };
  }

  async #fewerSteps(): Promise<void> {
    for (let size = this.#best!.steps.length >> 1; size >= 1; size >>= 1) {
      // From the end: what matters is most often near it.
      for (let at = this.#best!.steps.length - size; at >= 0; at -= size) {
        await this.#accepts(this.#best!.steps.toSpliced(at, size));
      }
    }
  }

  /** True when a request became smaller. */
  async #smallerRequests(): Promise<boolean> {
    let some = false;
    while (await this.#smallerRequest()) some = true;
    return some;
  }

  /** One pass over all requests; true when one of them became smaller. */
  async #smallerRequest(): Promise<boolean> {
    for (let at = this.#best!.steps.length - 1; at >= 0; at--) {
      for (const request of smaller(this.#best!.steps[at]!.request)) {
        const step = { ...this.#best!.steps[at]!, request } as Step;
        if (await this.#accepts(this.#best!.steps.with(at, step))) return true;
      }
    }
    return false;
  }

  async #accepts(steps: readonly Step[]): Promise<boolean> {
    if (steps.length === 0 || performance.now() > this.#untilMs) return false;
    this.#tries++;
    const difference = await this.#trial(steps);
    if (difference === undefined || kind(difference) !== kind(this.#best!.difference)) return false;
    this.#best = { steps: upTo(steps, difference), difference };
    return true;
  }
}

/** Without the steps that were not reached. */
function upTo(steps: readonly Step[], { step }: Difference): readonly Step[] {
  const at = steps.lastIndexOf(step);
  return at < 0 ? steps : steps.slice(0, at + 1);
}

/** So that shrinking does not slip from one fault to another. */
function kind({ exchange: { method, etcd, kvorum } }: Difference): string {
  return `${method} | ${etcd.error?.text} | ${kvorum.error?.text}`;
}

/** Requests and parts of them that are a little less than `value`. */
function* smaller(value: unknown): Generator<unknown> {
  if (typeof value === 'number' && value !== 0) yield 0;
  if (typeof value === 'string' && value.length > 1) yield value[0];
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) yield* smallerList(value);
  else yield* smallerRecord(value as Record<string, unknown>);
}

function* smallerList(list: readonly unknown[]): Generator<unknown> {
  for (let i = 0; i < list.length; i++) yield list.toSpliced(i, 1);
  for (const [i, item] of list.entries()) {
    // A nested transaction gives way to the operations in it.
    const { request_txn: nested } = item as { request_txn?: Record<string, unknown[]> };
    for (const branch of ['success', 'failure']) {
      if (nested?.[branch] !== undefined) yield list.toSpliced(i, 1, ...nested[branch]);
    }
    for (const less of smaller(item)) yield list.with(i, less);
  }
}

/** References stay what they are, at a smaller number; copies of an item become one. */
function* smallerRecord(record: Record<string, unknown>): Generator<unknown> {
  if ('$repeat' in record) yield record.$repeat;
  const isReference = Object.keys(record).some((name) => name.startsWith('$'));
  for (const [name, field] of Object.entries(record)) {
    if (!isReference && name !== 'key') yield without(record, name);
    if (name.startsWith('$') && name !== '$repeat') continue;
    for (const less of smaller(field)) yield { ...record, [name]: less };
  }
}

function without(record: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([other]) => other !== name));
}
