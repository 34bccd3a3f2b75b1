import { readFileSync } from 'node:fs';

/** The version in package.json, which stands at the package's root, three folders above the build. */
export function packageVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
