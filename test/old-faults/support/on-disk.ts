/** A store in a data dir of its own, that can be closed and opened again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kvorum, type OpenOptions, open } from '../../../src/embed/index.js';

/** `reopen` closes the store, if it is open, and opens it; afterwards all is closed and removed. */
export async function onDisk(
  use: (reopen: () => Promise<Kvorum>) => Promise<void>,
  options: OpenOptions = {},
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kvorum-old-faults-'));
  let store: Kvorum | undefined;
  try {
    await use(async () => {
      await store?.close();
      store = await open({ dataDir, ...options });
      return store;
    });
  } finally {
    await store?.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
