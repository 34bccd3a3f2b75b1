/**
 * Virtual time: a queue of events keyed by (time, sequence). Between two events every promise job drains,
 * so that what an event causes is finished before the next one begins, always in the same order.
 *
 * How the drain works: when an event has run, a promise job asks for a `process.nextTick`. Node runs ticks
 * only when no promise job is left, however long the chain, so the tick is the moment of rest. It costs
 * well under a microsecond, and neither timers nor I/O are involved.
 */

/** Who an event belongs to. Its events vanish with it. */
export interface EventOwner {
  readonly isAlive: boolean;
  /** Runs `action` now, or holds it back. */
  perform(action: () => void): void;
}

export interface ScheduledEvent {
  /** Harmless when it has run or was cancelled before. */
  cancel(): void;
}

/** Events between two visits to Node's own event loop, where signals and terminal output get their turn. */
const EVENTS_PER_VISIT = 5000;

class QueuedEvent implements ScheduledEvent {
  action: (() => void) | undefined;

  constructor(
    readonly atUs: number,
    readonly sequence: number,
    readonly owner: EventOwner | undefined,
    action: () => void,
  ) {
    this.action = action;
  }

  cancel(): void {
    this.action = undefined;
  }

  isBefore(other: QueuedEvent): boolean {
    return this.atUs < other.atUs || (this.atUs === other.atUs && this.sequence < other.sequence);
  }
}

export interface EventLoopHooks {
  /** All that an event caused has come to rest. A throw ends the run with that error. */
  atRest(): void;
  /** The code of an event without owner threw. */
  failed(error: unknown): void;
}

export class EventLoop {
  readonly #hooks: EventLoopHooks;
  #nowUs = 0;
  #sequence = 0;
  #executed = 0;
  #running = false;
  /** A binary heap, earliest first. */
  readonly #heap: QueuedEvent[] = [];

  constructor(hooks: EventLoopHooks) {
    this.#hooks = hooks;
  }

  /** Whole microseconds since the world began; what no member reads. */
  get nowUs(): number {
    return this.#nowUs;
  }

  get nowMs(): number {
    return this.#nowUs / 1000;
  }

  /** Events run so far. */
  get executed(): number {
    return this.#executed;
  }

  /** Runs `action` after `delayUs` (rounded up to whole microseconds, at least 0). */
  schedule(delayUs: number, owner: EventOwner | undefined, action: () => void): ScheduledEvent {
    const delay = delayUs > 0 ? Math.ceil(delayUs) : 0;
    const event = new QueuedEvent(this.#nowUs + delay, this.#sequence++, owner, action);
    this.#push(event);
    return event;
  }

  /** Resolves `delayMs` later, in an event of its own. For code outside the members. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.schedule(delayMs * 1000, undefined, resolve));
  }

  /**
   * Runs events until `done` says so (asked at rest) or none is left before `untilUs`; then that is the
   * time. One run at a time. Rejects with what {@link EventLoopHooks.atRest} throws.
   */
  run(untilUs: number, done: () => boolean = () => false): Promise<void> {
    if (this.#running) throw new Error('the event loop is running already');
    this.#running = true;
    return new Promise<void>((resolve, reject) => {
      const finish = (settle: () => void) => {
        this.#running = false;
        settle();
      };
      const atRest = () => {
        try {
          this.#hooks.atRest();
          if (done()) return finish(resolve);
        } catch (error) {
          return finish(() => reject(error));
        }
        const event = this.#next(untilUs);
        if (event === undefined) {
          this.#nowUs = Math.max(this.#nowUs, untilUs);
          return finish(resolve);
        }
        this.#execute(event);
        afterPromiseJobs();
      };
      const tick = () => {
        if (this.#executed % EVENTS_PER_VISIT === 0) setImmediate(atRest);
        else process.nextTick(atRest);
      };
      const afterPromiseJobs = () => queueMicrotask(tick);
      afterPromiseJobs();
    });
  }

  #execute(event: QueuedEvent): void {
    this.#executed++;
    this.#nowUs = event.atUs;
    const { action, owner } = event;
    event.action = undefined;
    if (owner !== undefined) return owner.perform(action!);
    try {
      action!();
    } catch (error) {
      this.#hooks.failed(error);
    }
  }

  /** The first event by `untilUs` that anybody still waits for. */
  #next(untilUs: number): QueuedEvent | undefined {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || first.atUs > untilUs) return undefined;
      this.#pop();
      if (first.action !== undefined && first.owner?.isAlive !== false) return first;
    }
  }

  #push(event: QueuedEvent): void {
    const heap = this.#heap;
    let i = heap.length;
    heap.push(event);
    while (i > 0) {
      const parent = (i - 1) >>> 1;
      if (heap[parent]!.isBefore(event)) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.isBefore(heap[child]!)) child++;
      if (last.isBefore(heap[child]!)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
  }
}
