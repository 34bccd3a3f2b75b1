/** Small worlds for tests. */
import type { Device } from '../../src/sim/write-queue.js';
import { StorageError } from '../../src/storage/index.js';
import { World, type WorldOptions } from '../../src/sim/world.js';

/** A device without time: what is written is written when the promise jobs have run. */
export function promptDevice(): Device & { isFull: boolean } {
  return {
    isFull: false,
    afterWrite: (_sync, action) => queueMicrotask(action),
    refusal() {
      return this.isFull ? new StorageError('IO', 'full') : undefined;
    },
  };
}

/** A device whose writes take place when `write` is called. */
export class HeldDevice implements Device {
  readonly #waiting: (() => void)[] = [];

  afterWrite(_sync: boolean, action: () => void): void {
    this.#waiting.push(action);
  }

  refusal(): undefined {
    return undefined;
  }

  write(): void {
    for (const action of this.#waiting.splice(0)) action();
  }
}

/** A cluster that has elected its leader. */
export async function startedWorld(options: Partial<WorldOptions> = {}): Promise<World> {
  const world = new World({ seed: 1, members: 3, ...options });
  world.start();
  await world.run(10_000, () => world.members.every((node) => node.process?.isServing === true));
  return world;
}
