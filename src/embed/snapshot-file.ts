/** Snapshot files on disk, opened for reading. */
import { type FileHandle, open } from 'node:fs/promises';
import type { RandomAccess } from '../bolt/index.js';

/** Gives `use` the file at `path` as long as it runs. Rejects with Node's errors. */
export async function withSnapshotFile<T>(
  path: string,
  use: (file: RandomAccess) => Promise<T>,
): Promise<T> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    return await use({ size, read: (offset, length) => readAt(handle, offset, length) });
  } finally {
    await handle.close();
  }
}

/** Fewer bytes than asked for when the file ends before. */
async function readAt(handle: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}
