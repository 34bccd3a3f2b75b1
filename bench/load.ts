/** A closed loop of callers: each begins its next request when its last has been answered. */
import { performance } from 'node:perf_hooks';
import { Histogram } from './histogram.js';

export interface Outcome {
  requests: number;
  seconds: number;
  latencies: Histogram;
}

/**
 * Runs `request(n)` with `inFlight` callers for `seconds`, after a warm-up of a fifth of that whose
 * requests do not count. A failed request ends the run with its error.
 */
export async function runLoad(
  inFlight: number,
  seconds: number,
  request: (n: number) => Promise<unknown>,
): Promise<Outcome> {
  let next = 0;
  await callers(inFlight, (seconds * 1000) / 5, undefined, () => request(next++));
  const latencies = new Histogram();
  const begin = performance.now();
  await callers(inFlight, seconds * 1000, latencies, () => request(next++));
  return { requests: latencies.count, seconds: (performance.now() - begin) / 1000, latencies };
}

async function callers(
  inFlight: number,
  durationMs: number,
  latencies: Histogram | undefined,
  request: () => Promise<unknown>,
): Promise<void> {
  const until = performance.now() + durationMs;
  const caller = async () => {
    for (;;) {
      const begin = performance.now();
      if (begin >= until) return;
      await request();
      latencies?.record(performance.now() - begin);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
}
