// What the build is made from, and when it last changed.
import { readdirSync, statSync } from 'node:fs';

export const stampFile = 'dist/built-from';
const folders = ['src', 'test', 'bench', 'proto', 'scripts'];
const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.base.json'];

/** Newest modification time, in milliseconds, of anything the build reads. */
export function newestSource() {
  let newest = 0;
  const look = (path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (stat.isDirectory()) {
      for (const name of readdirSync(path)) if (name !== 'gen') look(`${path}/${name}`);
    }
    newest = Math.max(newest, stat.mtimeMs);
  };
  for (const path of [...folders, ...files]) look(path);
  return newest;
}
