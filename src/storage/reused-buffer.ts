/** Reads one file after the other into the same memory: a thousand large files cost that of one. */
import { open } from 'node:fs/promises';

export class ReusedBuffer {
  #memory = Buffer.alloc(0);

  /** The whole file, in memory that the next call overwrites. */
  async read(path: string): Promise<Buffer> {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      if (this.#memory.length < size) this.#memory = Buffer.allocUnsafeSlow(size);
      let length = 0;
      while (length < size) {
        const { bytesRead } = await file.read(this.#memory, length, size - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return this.#memory.subarray(0, length);
    } finally {
      await file.close();
    }
  }
}
