/** Side by side: what a client does at one time gets tracks of its own. */
import type { Span } from './span-index.js';

interface ClientSpan extends Span {
  readonly client: number;
}

/** The track of each span, counted over all clients in their order; `spans` come by beginning. */
export function tracksOf(
  spans: readonly ClientSpan[],
  clients: number,
): { readonly tracks: readonly number[]; readonly firstTracks: readonly number[] } {
  /** Of each client: when each of its tracks is free again. */
  const freeUs: number[][] = Array.from({ length: clients }, () => []);
  const own = spans.map(({ client, fromUs, untilUs }) => {
    const free = freeUs[client]!;
    const found = free.findIndex((atUs) => atUs <= fromUs);
    const track = found < 0 ? free.length : found;
    free[track] = untilUs;
    return track;
  });
  const firstTracks = [0];
  for (const free of freeUs) firstTracks.push(firstTracks.at(-1)! + Math.max(1, free.length));
  return { tracks: own.map((track, i) => firstTracks[spans[i]!.client]! + track), firstTracks };
}
