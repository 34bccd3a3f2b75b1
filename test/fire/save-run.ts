/** Writes down a run that failed. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyLines } from '../../src/sim/history-text.js';
import type { FireResult } from './fire-run.js';

/**
 * Puts the run's violations, its history (as data and as text), its faults and the members' logs into a
 * new folder, whose path is the result. It stays there.
 */
export function saveRun(seed: number, result: FireResult): string {
  const folder = mkdtempSync(join(tmpdir(), `kvorum-fire-${seed}-`));
  const { history, violations, diary, logs } = result;
  write(folder, 'violations.json', json(violations));
  write(folder, 'history.json', json({ operations: history.operations, watches: history.watches }));
  write(folder, 'history.txt', historyLines(history).join('\n') + '\n');
  write(folder, 'faults.txt', diary.join('\n') + '\n');
  for (const [name, log] of logs) write(folder, `${name}.log`, log);
  return folder;
}

function write(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

/** Ids beyond what JSON's numbers hold are hex texts. */
function json(value: unknown): string {
  return JSON.stringify(
    value,
    (_, part: unknown) => (typeof part === 'bigint' ? part.toString(16) : part),
    1,
  );
}
