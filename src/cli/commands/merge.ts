/** Many streams of output as one, each item as it comes. */
import { ExitCode } from '../exit.js';

export class Merge<T> {
  private readonly items: T[] = [];
  private end: { exitCode: number } | { failure: unknown } | undefined;
  private wake: (() => void) | undefined;

  push(item: T): void {
    this.items.push(item);
    this.wake?.();
  }

  /** Passes on what `source` yields. If it returns an exit code other than 0, everything ends with it. */
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
      while (this.items.length > 0) yield this.items.shift()!;
      if (this.end !== undefined && 'failure' in this.end) throw this.end.failure;
      if (this.end !== undefined) return this.end.exitCode;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  private async drain(source: AsyncGenerator<T, number>): Promise<void> {
    for (;;) {
      const step = await source.next();
      if (step.done !== true) this.push(step.value);
      else if (step.value !== ExitCode.success) return this.finish({ exitCode: step.value });
      else return;
    }
  }

  private finish(end: { exitCode: number } | { failure: unknown }): void {
    this.end ??= end;
    this.wake?.();
  }
}
