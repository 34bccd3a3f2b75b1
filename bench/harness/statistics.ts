/** What several rounds say together. */
import type { FigureResult } from './rounds.js';

/** The middle one; of an even number, the mean of the two in the middle. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

/** How far the rounds lie apart, as a share of their median: 0.1 is 10 % from lowest to highest. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

/** Kvorum's median to etcd's; undefined without etcd. */
export function ratio({ kvorum, etcd }: FigureResult): number | undefined {
  return etcd.length === 0 ? undefined : median(kvorum) / median(etcd);
}

/** Is the figure's goal met? undefined: there is none, or what it compares with was not measured. */
export function meetsGoal(figure: FigureResult): boolean | undefined {
  const { atMost, ratioAtMost, ratioAtLeast } = figure.spec.goal ?? {};
  if (atMost !== undefined) return median(figure.kvorum) <= atMost;
  const compared = ratio(figure);
  if (compared === undefined) return undefined;
  if (ratioAtMost !== undefined) return compared <= ratioAtMost;
  return ratioAtLeast === undefined ? undefined : compared >= ratioAtLeast;
}
