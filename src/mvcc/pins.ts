/** Reads in slices that hold a revision: deletion of what they may still look at waits for them. */
export class Pins {
  readonly #running = new Map<Promise<unknown>, number>();

  /** Runs `read`, which reads at `revision`, and is pinned until it settles. */
  async hold<T>(revision: number, read: () => Promise<T>): Promise<T> {
    const running = read();
    this.#running.set(running, revision);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Resolves when no read that runs now is below `revision` any more. */
  async releasedBelow(revision: number): Promise<void> {
    const below = [...this.#running].filter(([, pinned]) => pinned < revision);
    await Promise.allSettled(below.map(([running]) => running));
  }
}
