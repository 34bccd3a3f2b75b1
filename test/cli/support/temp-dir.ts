/** Temporary folders of a test file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** A new empty folder, removed after the tests of the file. */
export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), 'kvorum-cli-'));
  after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
