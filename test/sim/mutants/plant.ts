/** Copies of the compiled program with a fault in them. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Edit } from './mutant.js';

/** Folder of the package. */
export const PACKAGE = fileURLToPath(new URL('../../../../', import.meta.url));

/** Rooms that the simulator does not run. */
const LEFT_OUT = ['cli', 'client', 'transport', 'embed', 'gen'].map((room) => join('src', room));

/**
 * Makes a folder in which `npm run sim` runs the program with `edits` made. Throws when a text to be
 * replaced does not occur exactly once: the mutant is out of date. `remove` deletes the folder.
 */
export function plant(edits: readonly Edit[]): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'kvorum-mutant-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    cpSync(join(PACKAGE, 'dist', 'src'), join(folder, 'dist', 'src'), {
      recursive: true,
      filter: isProgram,
    });
    symlinkSync(join(PACKAGE, 'node_modules'), join(folder, 'node_modules'), 'junction');
    const manifest = { type: 'module', scripts: { sim: 'node dist/src/sim/main.js' } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    for (const edit of edits) make(edit, folder);
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, remove };
}

function isProgram(path: string): boolean {
  if (path.endsWith('.d.ts') || path.endsWith('.map')) return false;
  return !LEFT_OUT.some((room) => path.includes(`${sep}${room}`));
}

function make({ file, find, replace }: Edit, folder: string): void {
  const path = join(folder, 'dist', 'src', ...file.split('/'));
  const pieces = readFileSync(path, 'utf8').split(find);
  if (pieces.length !== 2) {
    throw new Error(`${file} holds the text to be replaced ${pieces.length - 1} times: ${find}`);
  }
  writeFileSync(path, pieces.join(replace));
}
