/** Broken promises, over everything else. */
import { barOf } from './paint-clients.js';
import { type Brush, label } from './palette.js';
import type { BrokenPromise } from './picture.js';
import { evidenceOf } from './run.js';
import type { View } from './view.js';

export function paintViolations(brush: Brush, view: View): void {
  view.run.picture.violations.forEach((violation, place) => {
    paintEdges(brush, view, violation, place === view.violation);
    paintEvidence(brush, view, violation);
  });
}

/** Where what shows it begins and ends. */
function paintEdges(brush: Brush, view: View, violation: BrokenPromise, isChosen: boolean): void {
  const { context, palette } = brush;
  const { scale, layout } = view;
  const { left } = layout.members;
  const width = layout.width - left;
  const top = scale.yOf(violation.fromUs);
  const bottom = scale.yOf(violation.untilUs);
  if (bottom < 0 || top > scale.height) return;
  if (isChosen && bottom - top > 4) {
    context.fillStyle = palette('violation-band');
    context.fillRect(left, top, width, bottom - top);
  }
  context.fillStyle = palette('violation');
  for (const y of new Set([top, bottom])) context.fillRect(left, y - 1, width, 2);
  context.textAlign = 'right';
  label(brush, violation.promise, layout.width - 4, Math.max(12, top - 4), palette('violation'));
}

function paintEvidence({ context, palette }: Brush, view: View, violation: BrokenPromise): void {
  context.strokeStyle = palette('violation');
  context.lineWidth = 2;
  for (const operation of evidenceOf(view.run, violation)) {
    if (!view.isShown(operation)) continue;
    const { left, top, width, height } = barOf(view, operation);
    context.strokeRect(left - 2.5, top - 2.5, width + 5, height + 5);
  }
}
