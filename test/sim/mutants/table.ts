/** What became of the mutants, as a table. */
import type { Catch } from './hunt.js';
import type { Mutant } from './mutant.js';

export interface Report {
  readonly name: string;
  readonly fault: string;
  /** Promises whose checkers found it, most frequent first. */
  readonly foundBy: readonly string[];
  /** Median over the hunts; Infinity when most of them found nothing. */
  readonly medianSeeds: number;
  /** Seed of the first find. */
  readonly firstSeed: number | undefined;
  /** Fewer than half of the hunts found it. */
  readonly survived: boolean;
  /** Promises that were broken beside those that it should break, in hunts that found nothing. */
  readonly strays: readonly string[];
}

export function reportOf({ name, fault }: Mutant, catches: readonly Catch[]): Report {
  const found = catches.filter(({ seed }) => seed !== undefined);
  const needed = median(catches.map(({ seed, seeds }) => (seed === undefined ? Infinity : seeds)));
  const missed = catches.filter(({ seed }) => seed === undefined);
  return {
    name,
    fault,
    foundBy: byFrequency(found.map(({ promise }) => promise!)),
    medianSeeds: needed,
    firstSeed: found[0]?.seed,
    survived: needed === Infinity,
    strays: [...new Set(missed.flatMap(({ strays }) => strays))],
  };
}

/** The median of the medians. */
export function medianSeeds(reports: readonly Report[]): number {
  return median(reports.map((report) => report.medianSeeds));
}

export function table(reports: readonly Report[]): string {
  const rows = [['mutant', 'found by', 'median seeds', 'first seed'], ...reports.map(row)];
  const widths = rows[0]!.map((_, column) =>
    Math.max(...rows.map((cells) => cells[column]!.length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}

function row({
  name,
  foundBy,
  survived,
  strays,
  medianSeeds: needed,
  firstSeed,
}: Report): string[] {
  if (!survived) return [name, foundBy.join(', '), `${needed}`, `${firstSeed}`];
  const beside = strays.length === 0 ? '' : ` (others: ${strays.join(', ')})`;
  return [name, `SURVIVED${beside}`, '-', firstSeed === undefined ? '-' : `${firstSeed}`];
}

/** The lower of the middle two when their number is even. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Infinity;
}

function byFrequency(words: readonly string[]): string[] {
  const count = (word: string) => words.filter((other) => other === word).length;
  return [...new Set(words)].sort((a, b) => count(b) - count(a));
}
