/** A data dir for one run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function temporaryDir(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'kvorum-bench-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
