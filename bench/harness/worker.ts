/**
 * Work of the generator that would keep its own thread from measuring: reading large answers, taking in
 * many events. It runs in a thread of its own, and the thread that asks for it keeps time undisturbed.
 */
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

interface Task {
  module: string;
  name: string;
  argument: unknown;
}

/** Calls the function that `module` exports as `name`, in another thread; what it says comes back. */
export function elsewhere<T>(module: string, name: string, argument: unknown): Promise<T> {
  const task: Task = { module, name, argument };
  const worker = new Worker(new URL(import.meta.url), { workerData: task });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`${name} ended with ${code} and no result`)));
  });
}

// Not awaited here: the module that is asked for imports this one, and both would wait for each other.
if (!isMainThread && isTask(workerData)) void perform(workerData);

async function perform({ module, name, argument }: Task): Promise<void> {
  const exports = (await import(module)) as Record<string, (argument: unknown) => unknown>;
  parentPort!.postMessage(await exports[name]!(argument));
}

function isTask(data: unknown): data is Task {
  return typeof data === 'object' && data !== null && 'module' in data && 'name' in data;
}
