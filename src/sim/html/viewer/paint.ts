/** One frame of the picture. */
import { seconds } from './describe.js';
import { paintCall, paintClients, barOf } from './paint-clients.js';
import { paintFaultBands, paintFaultLabels } from './paint-faults.js';
import { paintOverview, paintTimes } from './paint-frame.js';
import { paintMembers, paintRoleLabels } from './paint-members.js';
import { paintMessage, paintMessages } from './paint-messages.js';
import { paintViolations } from './paint-violations.js';
import type { Brush } from './palette.js';
import type { Shape } from './run.js';
import type { View } from './view.js';

export function paint(brush: Brush, view: View): void {
  const { context, palette } = brush;
  context.fillStyle = palette('ground');
  context.fillRect(0, 0, view.layout.width, view.scale.height);
  context.font = '11px system-ui, sans-serif';
  paintTimes(brush, view);
  paintFaultBands(brush, view);
  paintMembers(brush, view);
  paintMessages(brush, view);
  paintClients(brush, view);
  paintRoleLabels(brush, view);
  paintFaultLabels(brush, view);
  paintViolations(brush, view);
  for (const shape of new Set([view.selected, view.hovered])) {
    if (shape !== undefined) paintPointedAt(brush, view, shape);
  }
  paintOverview(brush, view);
}

function paintPointedAt(brush: Brush, view: View, shape: Shape): void {
  if (!view.isShown(shape)) return;
  const { context, palette } = brush;
  context.strokeStyle = palette('pointed');
  context.fillStyle = palette('pointed');
  switch (shape.sort) {
    case 'message':
      return paintMessage(brush, view, shape);
    case 'operation': {
      paintCall(brush, view, shape, true);
      const { left, top, width, height } = barOf(view, shape);
      context.strokeStyle = palette('pointed');
      context.strokeRect(left - 1, top - 1, width + 2, height + 2);
      return;
    }
    case 'arrival':
      return dot(context, view.trackX(shape.watch.track), view.scale.yOf(shape.fromUs));
    case 'commit':
    case 'note': {
      const x = view.layout.laneX[shape.member] ?? view.layout.members.left + 4;
      return dot(context, x, view.scale.yOf(shape.fromUs));
    }
  }
}

function dot(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.beginPath();
  context.arc(x, y, 5, 0, 7);
  context.lineWidth = 2;
  context.stroke();
}

/** What is in view, in words. */
export function viewText(view: View): string {
  const { all, drawn, isThinned } = view.messages();
  const { topUs, bottomUs, endUs } = view.scale;
  const from = seconds(Math.max(0, Math.round(topUs)));
  const until = seconds(Math.min(endUs, Math.round(bottomUs)));
  const hidden = all.length - drawn.length;
  const rest = isThinned ? `; zoom in to see ${hidden} routine ones` : '';
  return `${from} to ${until} s, ${drawn.length} messages drawn${rest}`;
}
