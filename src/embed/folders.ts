/** Folders whose names must survive a power cut. */
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the names in `folder` durable: what was made, renamed or removed there. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The same for the folder that `path` is in. */
export async function syncFolderOf(path: string): Promise<void> {
  await syncFolder(dirname(path));
}
