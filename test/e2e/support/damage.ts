/** Damage to the files of a stopped member. */
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** All files under `folder` that have content, as paths. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && contentEnd(path) > 0)
    .sort();
}

/** Where the content ends: etcd's log files have zeros behind it. */
export function contentEnd(path: string): number {
  const bytes = readFileSync(path);
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return end;
}

export function flipBit(path: string, position: number, bit: number): void {
  const bytes = readFileSync(path);
  bytes[position] = (bytes[position] ?? 0) ^ (1 << bit);
  writeFileSync(path, bytes);
}

/** The last file of `folder` that entries are written to. */
export function newestJournal(folder: string): string {
  const journals = filesIn(folder).filter((path) => /\.(log|wal)$/.test(path));
  const newest = journals.at(-1);
  if (newest === undefined) throw new Error(`no journal in ${folder}`);
  return newest;
}
