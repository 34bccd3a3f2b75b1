/**
 * The keyspace folder holds its database in a numbered subfolder, a generation, and a pointer file that
 * names the one in force. Replacing the whole content makes the next generation beside it and switches
 * by one atomic rename; what the pointer does not name is left over from a crash and is removed.
 */
import { readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { StorageError, diskRefusal } from './errors.js';
import { replaceFile } from './files.js';

const POINTER = 'generation';

export function generationFolder(folder: string, generation: number): string {
  return join(folder, String(generation));
}

/** Makes `generation` the one in force, durably. */
export async function writeGeneration(folder: string, generation: number): Promise<void> {
  await replaceFile(join(folder, POINTER), pointerText(generation));
}

/** The generation in force. Throws StorageError CORRUPT when the pointer is missing or damaged. */
export async function readGeneration(folder: string): Promise<number> {
  const path = join(folder, POINTER);
  const text = await readFile(path, 'latin1').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw diskRefusal('read', path, error);
    throw new StorageError('CORRUPT', `${path} is missing`, { cause: error });
  });
  const generation = Number.parseInt(text, 10);
  if (text !== pointerText(generation)) throw new StorageError('CORRUPT', `${path} is damaged`);
  return generation;
}

/** Removes everything that `generation` does not need. */
export async function removeOtherGenerations(folder: string, generation: number): Promise<void> {
  try {
    for (const name of await readdir(folder)) {
      if (name === POINTER || name === String(generation)) continue;
      await rm(join(folder, name), { recursive: true, force: true });
    }
  } catch (error) {
    throw diskRefusal('clean up', folder, error);
  }
}

function pointerText(generation: number): string {
  return `${generation} ${crc32(String(generation)).toString(16).padStart(8, '0')}\n`;
}
