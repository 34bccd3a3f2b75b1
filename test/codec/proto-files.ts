/** proto/*.proto, parsed by protobufjs. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Path of a file under test/fixtures/codec. */
export function fixturePath(name: string): string {
  return `${root}test/fixtures/codec/${name}`;
}

/** With `keepCase`, fields are called as in the files; without, in camelCase, as in src/gen. */
export function loadProtoFiles(options: { keepCase: boolean }): protobuf.Root {
  const files = readdirSync(`${root}proto`).filter((name) => name.endsWith('.proto'));
  const parsed = new protobuf.Root();
  parsed.resolvePath = (_origin, target) => `${root}proto/${target}`;
  parsed.loadSync(files, { keepCase: options.keepCase });
  parsed.resolveAll();
  return parsed;
}
