/** Temporary folders that are gone when the process is, however it ends (SIGKILL excepted). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from './at-exit.js';

/** A new empty folder under os.tmpdir(); removed at the end of the process. */
export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), 'kvorum-e2e-'));
  // Retries, for a member that was killed just now may still be ending.
  const options = { recursive: true, force: true, maxRetries: 10, retryDelay: 20 };
  atExit('files', () => rmSync(path, options));
  return path;
}
