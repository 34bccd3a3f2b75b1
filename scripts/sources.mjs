// What the build is made from, and when it last changed.
import { readdirSync, statSync } from 'node:fs';

const files = ['package.json', 'package-lock.json', 'tsconfig.base.json', 'scripts/build.mjs'];
const folders = {
  program: ['src'],
  all: ['src', 'test', 'bench', 'proto', 'scripts', 'tsconfig.json'],
};

/** Holds the time of the newest source that a build of `what` has seen. */
export const stampFile = (what) => `dist/built-${what}`;

/** Newest modification time, in milliseconds, of anything that a build of `what` reads. */
export function newestSource(what) {
  let newest = 0;
  const look = (path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (stat.isDirectory()) {
      for (const name of readdirSync(path)) if (name !== 'gen') look(`${path}/${name}`);
    }
    newest = Math.max(newest, stat.mtimeMs);
  };
  for (const path of [...folders[what], ...files]) look(path);
  return newest;
}
