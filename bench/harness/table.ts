/** Results as text for a terminal. */
import type { FigureResult, LineResult, Programs } from './rounds.js';
import { meetsGoal, median, ratio, spread } from './statistics.js';

const HEADINGS = ['', 'Kvorum', 'etcd', 'ratio', 'goal', ''] as const;

/** A heading and a row a figure; the line's own description above. */
export function tableOf({ line, figures }: LineResult): string {
  const rows = [[...HEADINGS], ...figures.map(rowOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const text = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
  return [`${line.name}: ${line.what}`, ...text.map((row) => `  ${row}`)].join('\n');
}

/** What the columns mean, in a line: below all tables. */
export function legend({ etcd }: Programs, rounds: number): string {
  const against = etcd === undefined ? 'no etcd was found to compare with' : etcd.title;
  const medians = rounds === 1 ? 'one round' : `medians of ${rounds} rounds, (spread in %)`;
  return `${medians}; ratio is Kvorum : etcd; ${against}; both with fsync, over gRPC, one generator`;
}

function rowOf(figure: FigureResult): string[] {
  const { spec } = figure;
  const met = meetsGoal(figure);
  return [
    spec.name,
    valuesText(figure.kvorum, spec.unit),
    figure.etcd.length === 0 ? '-' : valuesText(figure.etcd, spec.unit),
    ratioText(figure),
    goalText(figure),
    met === undefined ? '' : met ? 'ok' : 'MISSED',
  ];
}

function valuesText(values: readonly number[], unit: string): string {
  const text = `${numberText(median(values))}${unit.startsWith('/') ? '' : ' '}${unit}`;
  return values.length < 2 ? text : `${text} (${Math.round(spread(values) * 100)})`;
}

function ratioText(figure: FigureResult): string {
  const compared = ratio(figure);
  return compared === undefined ? '-' : `${compared.toFixed(2)}`;
}

function goalText({ spec: { goal, unit } }: FigureResult): string {
  if (goal?.atMost !== undefined) return `<= ${goal.atMost} ${unit}`;
  if (goal?.ratioAtMost !== undefined) return `ratio <= ${goal.ratioAtMost}`;
  return goal?.ratioAtLeast === undefined ? '' : `ratio >= ${goal.ratioAtLeast}`;
}

function numberText(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
