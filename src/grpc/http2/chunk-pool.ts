/** Memory that bytes on their way out lie in until their socket has taken them. */

/** Holds a frame of the default size and its header, with room to spare. */
export const CHUNK_BYTES = 32_768;

/** Chunks kept for the next use; more are left to the garbage collector. */
const MOST_FREE = 256;

const free: Buffer[] = [];

export function takeChunk(): Buffer {
  return free.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
}

/** Nobody may read or write `chunk` any more. */
export function giveBackChunk(chunk: Buffer): void {
  if (free.length < MOST_FREE) free.push(chunk);
}
