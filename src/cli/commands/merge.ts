/** Many streams of output as one, each item as it comes. */
import { ExitCode } from '../exit.js';

export class Merge<T> {
  private readonly items: { item: T; taken: () => void }[] = [];
  private end: { exitCode: number } | { failure: unknown } | undefined;
  private wake: (() => void) | undefined;

  push(item: T): void {
    void this.deliver(item);
  }

  /**
   * Passes on what `source` yields, asking for the next item only when the last one has been taken and
   * dealt with: a source may go on to write to the same place itself. If it returns an exit code other
   * than 0, everything ends with it.
   */
  add(source: AsyncGenerator<T, number>): void {
    this.drain(source).catch((error: unknown) => this.fail(error));
  }

  /** Ends {@link read} with an error, after the items that came before. */
  fail(failure: unknown): void {
    this.finish({ failure });
  }

  /** All items in the order of their arrival. */
  async *read(): AsyncGenerator<T, number> {
    for (;;) {
      for (let next = this.items.shift(); next !== undefined; next = this.items.shift()) {
        yield next.item;
        next.taken();
      }
      if (this.end !== undefined && 'failure' in this.end) throw this.end.failure;
      if (this.end !== undefined) return this.end.exitCode;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Settles when the reader comes back for more. */
  private deliver(item: T): Promise<void> {
    return new Promise((taken) => {
      this.items.push({ item, taken });
      this.wake?.();
    });
  }

  private async drain(source: AsyncGenerator<T, number>): Promise<void> {
    for (;;) {
      const step = await source.next();
      if (step.done !== true) await this.deliver(step.value);
      else if (step.value !== ExitCode.success) return this.finish({ exitCode: step.value });
      else return;
    }
  }

  private finish(end: { exitCode: number } | { failure: unknown }): void {
    this.end ??= end;
    this.wake?.();
  }
}
