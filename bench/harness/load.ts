/** A closed loop of callers: each begins its next request when its last has been answered. */
import { performance } from 'node:perf_hooks';
import { Histogram } from './histogram.js';

export interface Outcome {
  requests: number;
  seconds: number;
  latencies: Histogram;
}

type Request = (n: number) => Promise<unknown>;

/**
 * Runs `request(n)` with `inFlight` callers for `seconds`, after a warm-up of a fifth of that whose
 * requests do not count. A failed request ends the run with its error.
 */
export async function runLoad(
  inFlight: number,
  seconds: number,
  request: Request,
): Promise<Outcome> {
  const numbered = counting(request);
  await loadUntil(inFlight, clock((seconds * 1000) / 5), numbered);
  return loadUntil(inFlight, clock(seconds * 1000), numbered);
}

/** The same, without a warm-up, as long as `work` takes. What fails fails the run. */
export async function loadWhile<T>(
  inFlight: number,
  work: Promise<T>,
  request: Request,
): Promise<{ result: T; load: Outcome }> {
  let ended = false;
  const end = () => (ended = true);
  work.then(end, end);
  const load = await loadUntil(inFlight, () => ended, counting(request));
  return { result: await work, load };
}

/** `request(0)` to `request(count - 1)`, `inFlight` at a time. */
export async function runCount(
  inFlight: number,
  count: number,
  request: Request,
): Promise<Outcome> {
  let next = 0;
  return loadUntil(
    inFlight,
    () => next >= count,
    () => request(next++),
  );
}

async function loadUntil(
  inFlight: number,
  over: () => boolean,
  request: () => Promise<unknown>,
): Promise<Outcome> {
  const latencies = new Histogram();
  const begin = performance.now();
  const caller = async () => {
    while (!over()) {
      const sent = performance.now();
      await request();
      latencies.record(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  return { requests: latencies.count, seconds: (performance.now() - begin) / 1000, latencies };
}

function counting(request: Request): () => Promise<unknown> {
  let next = 0;
  return () => request(next++);
}

function clock(durationMs: number): () => boolean {
  const until = performance.now() + durationMs;
  return () => performance.now() >= until;
}
