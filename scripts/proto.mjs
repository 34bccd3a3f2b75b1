// proto/*.proto -> src/gen/proto.js and .d.ts (for the compiler) and dist/src/gen/proto.js (to run).
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
mkdirSync('src/gen', { recursive: true });
mkdirSync('dist/src/gen', { recursive: true });

const sources = readdirSync('proto')
  .filter((name) => name.endsWith('.proto'))
  .sort()
  .map((name) => `proto/${name}`);
const options =
  '-t static-module -w esm --dts --no-verify --no-delimited --no-typeurl --no-convert'.split(' ');
const result = spawnSync(
  process.execPath,
  [
    'node_modules/protobufjs-cli/bin/pbjs',
    ...options,
    '-p',
    'proto',
    '-o',
    'src/gen/proto.js',
    ...sources,
  ],
  { stdio: 'inherit' },
);
if (result.status !== 0) process.exit(result.status ?? 1);
copyFileSync('src/gen/proto.js', 'dist/src/gen/proto.js');
