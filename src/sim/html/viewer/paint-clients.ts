/** What clients asked for, as bars from the call to its outcome. */
import type { Brush } from './palette.js';
import type { Operation } from './run.js';
import type { View } from './view.js';

/** With fewer in view each is joined to the member that was asked. */
const MAX_JOINED = 60;

export function paintClients(brush: Brush, view: View): void {
  if (view.areClientsHidden) return;
  const { run, scale } = view;
  paintDividers(brush, view);
  const inView = run.operations
    .within(scale.topUs, scale.bottomUs)
    .filter((operation) => view.isShown(operation));
  const joined = inView.filter(({ outcome }) => outcome !== 'watch');
  if (joined.length <= MAX_JOINED) for (const one of joined) paintCall(brush, view, one, false);
  for (const operation of inView) paintBar(brush, view, operation);
  paintArrivals(brush, view);
}

/** The calls from and to a client, thick when it is the one looked at. */
export function paintCall(
  { context, palette }: Brush,
  view: View,
  operation: Operation,
  isThick: boolean,
): void {
  const laneX = view.layout.laneX[operation.member];
  if (laneX === undefined) return;
  const x = view.trackX(operation.track);
  context.strokeStyle = palette(`outcome-${operation.outcome}`);
  context.lineWidth = isThick ? 2 : 1;
  context.setLineDash(isThick ? [] : [1, 3]);
  context.beginPath();
  for (const atUs of [operation.fromUs, operation.untilUs]) {
    const y = view.scale.yOf(atUs);
    context.moveTo(x, y);
    context.lineTo(laneX + 6, y);
  }
  context.stroke();
  context.setLineDash([]);
}

/** Where an operation's bar is. */
export function barOf(view: View, operation: Operation) {
  const { scale, layout } = view;
  const width = Math.max(2, layout.trackWidth - 1.5);
  const top = Math.max(-4, scale.yOf(operation.fromUs));
  const bottom = Math.min(scale.height + 4, scale.yOf(operation.untilUs));
  return {
    left: view.trackX(operation.track) - width / 2,
    top,
    width,
    height: Math.max(2, bottom - top),
  };
}

function paintBar({ context, palette }: Brush, view: View, operation: Operation): void {
  const { left, top, width, height } = barOf(view, operation);
  const colour = palette(`outcome-${operation.outcome}`);
  if (operation.outcome === 'watch') {
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
  } else {
    context.fillStyle = colour;
    context.fillRect(left, top, width, height);
  }
}

function paintArrivals({ context, palette }: Brush, view: View): void {
  const { run, scale, layout } = view;
  context.fillStyle = palette('outcome-watch');
  for (const arrival of run.arrivals.within(scale.topUs, scale.bottomUs)) {
    if (!view.isShown(arrival)) continue;
    const width = Math.max(3, layout.trackWidth - 1.5);
    const x = view.trackX(arrival.watch.track) - width / 2;
    context.fillRect(x, scale.yOf(arrival.fromUs) - 1, width, 2);
  }
}

function paintDividers({ context, palette }: Brush, view: View): void {
  const { layout, run, scale } = view;
  context.fillStyle = palette('line');
  for (const track of run.firstTracks) {
    context.fillRect(layout.clients.left + track * layout.trackWidth - 0.5, 0, 1, scale.height);
  }
}
