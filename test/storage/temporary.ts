/** Folders that a test file removes when it is done. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class TemporaryFolders {
  readonly #root = mkdtempSync(join(tmpdir(), 'kvorum-storage-'));
  #made = 0;

  /** A path in which nothing exists yet. */
  fresh(): string {
    return join(this.#root, String(++this.#made));
  }

  /** What a killed process leaves: LevelDB hands every write to the system before it answers. */
  afterKill(folder: string): string {
    const copy = this.fresh();
    cpSync(folder, copy, { recursive: true });
    return copy;
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}
