/** What the arrows in the bar go to, from one to the next. */
import type { View } from './view.js';

export const GOALS = [
  'fault',
  'new leader',
  'member down',
  'lost message',
  'failed operation',
] as const;
export type Goal = (typeof GOALS)[number];

/** The next moment of this sort after the middle of the view, or the one before it. */
export function nextMoment(view: View, goal: Goal, isForward: boolean): number | undefined {
  const { scale } = view;
  const middle = Math.round(scale.topUs + scale.spanUs / 2);
  const moments = momentsOf(view, goal).sort((a, b) => a - b);
  // Not the one that the last jump went to.
  const least = Math.max(2, scale.usPerPixel * 2);
  return isForward
    ? moments.find((atUs) => atUs > middle + least)
    : moments.findLast((atUs) => atUs < middle - least);
}

function momentsOf({ run }: View, goal: Goal): number[] {
  const { faults, stretches } = run.picture;
  switch (goal) {
    case 'fault':
      return faults.map(({ fromUs }) => fromUs);
    case 'new leader':
      return stretches.filter(({ state }) => state === 'leader').map(({ fromUs }) => fromUs);
    case 'member down':
      return stretches.filter(({ state }) => state === 'down').map(({ fromUs }) => fromUs);
    case 'lost message':
      return run.messages.items.filter(({ fate }) => fate === 'lost').map(({ fromUs }) => fromUs);
    case 'failed operation':
      return run.operations.items
        .filter(({ outcome }) => outcome === 'refused' || outcome === 'unknown')
        .map(({ fromUs }) => fromUs);
  }
}
