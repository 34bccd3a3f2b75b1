/** Which messages a page of bounded size leaves out: routine, far from everything of interest. */
import type { SentMessage } from './sent-messages.js';

/** How readily each type is left out; other types always stay. */
const ROUTINE: Readonly<Record<string, number>> = {
  heartbeat: 8,
  heartbeatResponse: 8,
  readIndex: 2,
  readIndexResponse: 2,
  append: 1,
  appendResponse: 1,
};

/** All of them, or the `most` that matter most, in their order; `interestUs` are the moments of interest. */
export function thinned(
  messages: readonly SentMessage[],
  interestUs: readonly number[],
  most: number,
): SentMessage[] {
  if (messages.length <= most) return [...messages];
  const moments = interestUs.toSorted((a, b) => a - b);
  const dullness = messages.map(({ atUs, type }) => (ROUTINE[type] ?? 0) * distance(moments, atUs));
  const order = Array.from(messages.keys()).sort((a, b) => dullness[a]! - dullness[b]! || a - b);
  const kept = new Set(order.slice(0, most));
  return messages.filter((_, place) => kept.has(place));
}

/** How many of each type were left out. */
export function omittedOf(
  messages: readonly SentMessage[],
  kept: readonly SentMessage[],
): [type: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { type } of messages) counts.set(type, (counts.get(type) ?? 0) + 1);
  for (const { type } of kept) counts.set(type, counts.get(type)! - 1);
  return [...counts].filter(([, count]) => count > 0);
}

/** From `at` to the nearest of the ascending `moments`; 1 when there are none. */
function distance(moments: readonly number[], at: number): number {
  if (moments.length === 0) return 1;
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (moments[middle]! < at) low = middle + 1;
    else high = middle;
  }
  const before = at - (moments[low - 1] ?? -Infinity);
  const after = (moments[low] ?? Infinity) - at;
  return Math.min(before, after);
}
