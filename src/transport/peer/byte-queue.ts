/**
 * Bytes as they arrive, taken out in other portions.
 */
export class ByteQueue {
  private readonly chunks: Uint8Array[] = [];
  /** Bytes of the first chunk that are taken already. */
  private taken = 0;
  private bytes = 0;

  get length(): number {
    return this.bytes;
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.chunks.push(chunk);
    this.bytes += chunk.length;
  }

  /** The next `count` bytes, copied: nothing that is kept of them holds on to a network buffer. */
  take(count: number): Uint8Array {
    const result = new Uint8Array(count);
    let filled = 0;
    while (filled < count) filled += this.takeFromFirst(result, filled);
    this.bytes -= count;
    return result;
  }

  private takeFromFirst(result: Uint8Array, filled: number): number {
    const first = this.chunks[0]!;
    const count = Math.min(first.length - this.taken, result.length - filled);
    result.set(first.subarray(this.taken, this.taken + count), filled);
    this.taken += count;
    if (this.taken === first.length) {
      this.chunks.shift();
      this.taken = 0;
    }
    return count;
  }

  /** All that is left, as it came. */
  rest(): Uint8Array[] {
    const [first, ...others] = this.chunks.splice(0);
    const rest = first === undefined ? [] : [first.subarray(this.taken), ...others];
    this.bytes = 0;
    this.taken = 0;
    return rest;
  }
}
