/** The times at the side, and the overview of the whole run beside them. */
import type { Brush } from './palette.js';
import { tickStepUs } from './time-scale.js';
import type { View } from './view.js';

export function paintTimes({ context, palette }: Brush, view: View): void {
  const { scale, layout } = view;
  const { left, width } = layout.times;
  const step = tickStepUs(scale, 56);
  const places = Math.max(0, Math.min(6, Math.ceil(6 - Math.log10(step))));
  context.textAlign = 'right';
  const first = Math.max(0, Math.ceil(scale.topUs / step) * step);
  for (let atUs = first; atUs <= scale.bottomUs; atUs += step) {
    const y = scale.yOf(atUs);
    context.fillStyle = palette('line');
    context.fillRect(left + width, y - 0.5, layout.width, 1);
    context.fillStyle = palette('dim');
    context.fillText(`${(atUs / 1e6).toFixed(places)} s`, left + width - 5, y + 3.5);
  }
}

export function paintOverview(brush: Brush, view: View): void {
  const { context, palette } = brush;
  const { layout, scale, run } = view;
  context.fillStyle = palette('panel');
  context.fillRect(0, 0, layout.overview.width, scale.height);
  paintOverviewStates(brush, view);
  const yOf = (atUs: number) => overviewY(view, atUs);
  context.fillStyle = palette('fault');
  for (const { fromUs, untilUs } of run.picture.faults) {
    context.fillRect(
      layout.overview.width - 6,
      yOf(fromUs),
      4,
      Math.max(1, yOf(untilUs) - yOf(fromUs)),
    );
  }
  context.fillStyle = palette('violation');
  for (const { fromUs } of run.picture.violations) {
    context.fillRect(0, yOf(fromUs) - 1.5, layout.overview.width, 3);
  }
  context.strokeStyle = palette('text');
  context.lineWidth = 1.5;
  const top = yOf(Math.max(0, scale.topUs));
  const bottom = yOf(Math.min(scale.endUs, scale.bottomUs));
  context.strokeRect(1, top, layout.overview.width - 2, Math.max(3, bottom - top));
}

/** The moment at height `y` of the overview. */
export function overviewUs({ scale }: View, y: number): number {
  return (y / scale.height) * scale.endUs;
}

function overviewY({ scale }: View, atUs: number): number {
  return (atUs / scale.endUs) * scale.height;
}

function paintOverviewStates({ context, palette }: Brush, view: View): void {
  const { layout, run } = view;
  const width = (layout.overview.width - 10) / run.picture.members.length;
  for (const { member, state, fromUs, untilUs } of run.picture.stretches) {
    if (state === 'paused') continue;
    const top = overviewY(view, fromUs);
    const height = Math.max(0.5, overviewY(view, untilUs) - top);
    context.fillStyle = palette(state === 'down' ? 'down-band' : state);
    context.fillRect(2 + member * width, top, Math.max(1, width - 1), height);
  }
}
