/** A data dir for one run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Also removed when the process ends before `remove` is called. */
export function temporaryDir(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'kvorum-bench-'));
  const removeNow = () => rmSync(path, { recursive: true, force: true });
  process.once('exit', removeNow);
  const remove = () => {
    process.off('exit', removeNow);
    removeNow();
  };
  return { path, remove };
}
