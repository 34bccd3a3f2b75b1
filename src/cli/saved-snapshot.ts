/** A snapshot file in the making: whole under its name, or not there. */
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { openSnapshotFile, requireSha256 } from '../bolt/index.js';
import { syncFolderOf } from '../embed/folders.js';
import { withSnapshotFile } from '../embed/snapshot-file.js';
import { osErrorText } from './go-text/os-error.js';

/**
 * Writes `blobs` to `<path>.part`, verifies that they end with their SHA-256, and then, durably, gives
 * the file its name. A failure leaves no part behind, and an older file of that name as it was. Rejects with
 * etcd's texts.
 */
export async function saveSnapshot(path: string, blobs: AsyncIterable<Uint8Array>): Promise<void> {
  const part = `${path}.part`;
  try {
    await writePart(part, blobs);
    await withSnapshotFile(part, async (file) => {
      requireSha256(file.size);
      await openSnapshotFile(file);
    });
    await giveName(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function writePart(part: string, blobs: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await openPart(part);
  try {
    for await (const blob of blobs) await writeFully(handle, blob, part);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function openPart(part: string): Promise<FileHandle> {
  try {
    return await open(part, 'w', 0o600);
  } catch (error) {
    const why = osErrorText('open', part, error);
    throw new Error(`could not open ${part} (${why})`, { cause: error });
  }
}

async function writeFully(handle: FileHandle, bytes: Uint8Array, part: string): Promise<void> {
  try {
    await handle.appendFile(bytes);
  } catch (error) {
    throw new Error(osErrorText('write', part, error), { cause: error });
  }
}

async function giveName(part: string, path: string): Promise<void> {
  try {
    await rename(part, path);
    await syncFolderOf(path);
  } catch (error) {
    const why = osErrorText('rename', part, error);
    throw new Error(`could not rename ${part} to ${path} (${why})`, { cause: error });
  }
}
