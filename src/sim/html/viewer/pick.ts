/** Which shape is meant by a point. */
import type { Message, Shape } from './run.js';
import type { View } from './view.js';

/** The nearest shape within `reach` pixels. */
export function shapeAt(view: View, x: number, y: number, reach: number): Shape | undefined {
  let best: Shape | undefined;
  let nearest = reach;
  for (const shape of candidates(view, y, reach)) {
    const distance = distanceTo(view, shape, x, y);
    if (distance >= nearest) continue;
    nearest = distance;
    best = shape;
  }
  return best;
}

function candidates(view: View, y: number, reach: number): Shape[] {
  const { run, scale } = view;
  const fromUs = scale.usAt(y - reach);
  const untilUs = scale.usAt(y + reach);
  const nearby = view
    .messages()
    .drawn.filter((message) => message.fromUs <= untilUs && message.untilUs >= fromUs);
  const others = [run.arrivals, run.operations, run.notes, run.commits].flatMap((index): Shape[] =>
    index.within(fromUs, untilUs),
  );
  return [...others.filter((shape) => view.isShown(shape)), ...nearby];
}

function distanceTo(view: View, shape: Shape, x: number, y: number): number {
  const { scale, layout } = view;
  switch (shape.sort) {
    case 'message':
      return distanceToMessage(view, shape, x, y);
    case 'operation': {
      const dx = Math.abs(x - view.trackX(shape.track));
      const top = scale.yOf(shape.fromUs);
      const bottom = scale.yOf(shape.untilUs);
      return Math.hypot(dx, Math.max(top - y, y - bottom, 0));
    }
    case 'arrival':
      return Math.hypot(x - view.trackX(shape.watch.track), y - scale.yOf(shape.fromUs));
    case 'commit':
    case 'note': {
      const side = shape.sort === 'commit' ? COMMIT_DX : NOTE_DX;
      const laneX = layout.laneX[shape.member] ?? layout.members.left + 4 - side;
      return Math.hypot(x - laneX - side, y - scale.yOf(shape.fromUs));
    }
  }
}

/** Marks of commits and notes stand beside the middle of the lane. */
export const COMMIT_DX = 8;
export const NOTE_DX = -9;

function distanceToMessage(view: View, message: Message, x: number, y: number): number {
  const { scale, layout } = view;
  const x1 = layout.laneX[message.from];
  const x2 = layout.laneX[message.to];
  if (x1 === undefined || x2 === undefined) return Infinity;
  return distanceToLine(x, y, x1, scale.yOf(message.fromUs), x2, scale.yOf(message.untilUs));
}

/** From a point to the line between two others. */
export function distanceToLine(
  x: number,
  y: number,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
): number {
  const length2 = (x2 - x1) ** 2 + (y2 - y1) ** 2;
  const along = length2 === 0 ? 0 : ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length2;
  const share = Math.min(1, Math.max(0, along));
  return Math.hypot(x - x1 - share * (x2 - x1), y - y1 - share * (y2 - y1));
}
