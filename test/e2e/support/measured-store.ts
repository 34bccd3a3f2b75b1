/**
 * A store with a client port, in a process of its own that says how much memory it holds. Run with
 * --expose-gc by a parent that speaks IPC: it sends `{port}` and then one answer a request.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { open } from '../../../src/embed/index.js';

export type MeasuredRequest =
  /** Answered when so many values of so many bytes are written. */
  | { put: number; times: number }
  /** Answered when there are so many watchers. */
  | { watchers: number }
  /** Answered with the bytes held after garbage collection. */
  | 'measure';

const PUTS_AT_ONCE = 20;

const store = await open({ memory: true });
const { port } = await store.listen('http://127.0.0.1:0');

async function put(bytes: number, times: number): Promise<void> {
  const value = 'x'.repeat(bytes);
  for (let done = 0; done < times; done += PUTS_AT_ONCE) {
    const keys = Array.from({ length: PUTS_AT_ONCE }, (_, i) => `k${i}`);
    await Promise.all(keys.map((key) => store.put(key, value)));
  }
}

async function haveWatchers(count: number): Promise<void> {
  while (store.member.store.watch.counts().watchers !== count) await sleep(5);
}

/** Buffers are freed a turn after the collection that finds them. */
async function heldBytes(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc!();
    await sleep(20);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function answerTo(request: MeasuredRequest): Promise<number | void> {
  if (request === 'measure') return heldBytes();
  return 'watchers' in request ? haveWatchers(request.watchers) : put(request.put, request.times);
}

process.on('message', (request: MeasuredRequest) => {
  void answerTo(request).then((answer) => process.send!(answer ?? 'done'));
});
process.on('disconnect', () => process.exit());
process.send!({ port });
