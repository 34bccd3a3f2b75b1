import { setTimeout as sleep } from 'node:timers/promises';

const LONGEST_MS = 10_000;
/** So often it is asked at every turn of the event loop, then at times. */
const EAGER_ASKS = 20;

/** Asks again until the answer is something (not undefined, not false), for at most 10 s. */
export async function eventually<T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const until = performance.now() + LONGEST_MS;
  for (let asks = 0; ; asks++) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > until) throw new Error(`still not so after ${LONGEST_MS} ms: ${ask}`);
    await (asks < EAGER_ASKS ? turns(1) : sleep(2));
  }
}

/** Lets everything run that is due in the next turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}
