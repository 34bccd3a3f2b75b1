/** Waits for conditions, with a bound. */
import { setTimeout as sleep } from 'node:timers/promises';

export { sleep };

/** Resolves as soon as `condition` holds; rejects, naming `what`, when it does not within the bound. */
export async function until(
  what: string,
  condition: () => boolean,
  withinMs = 5_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(5);
  }
}
