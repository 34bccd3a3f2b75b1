/** The two servers that are compared, as commands. */
import { execFileSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_OPTIONS } from './machine.js';

export interface Program {
  kind: 'kvorum' | 'etcd';
  /** With its version, for the table. */
  title: string;
  command: string;
  args: readonly string[];
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** As `npm start` runs it. */
export function kvorumProgram(): Program {
  return {
    kind: 'kvorum',
    title: 'Kvorum',
    command: process.execPath,
    args: [...NODE_OPTIONS, join(root, 'bin', 'kvorum')],
  };
}

/** The etcd at `path` (the program or its folder), else the first in PATH; undefined: there is none. */
export function etcdProgram(path: string | undefined): Program | undefined {
  const command = path === undefined ? inPath() : isFolder(path) ? join(path, 'etcd') : path;
  if (command === undefined) return undefined;
  const version = /etcd Version: (\S+)/.exec(run(command))?.[1];
  if (version === undefined) throw new Error(`${command} is no etcd`);
  // etcd 3.4 writes plain text without it.
  return { kind: 'etcd', title: `etcd ${version}`, command, args: ['--logger=zap'] };
}

function run(command: string): string {
  return execFileSync(command, ['--version'], { encoding: 'utf8' });
}

function inPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, 'etcd')).find(isExecutable);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
