/** Faults as bands under everything, with their names over it. */
import { type Brush, label } from './palette.js';
import type { FaultBand } from './picture.js';
import type { View } from './view.js';

export function paintFaultBands(brush: Brush, view: View): void {
  for (const fault of faultsInView(view)) {
    if (fault.untilUs === fault.fromUs) continue;
    if (fault.groups !== undefined) paintGroups(brush, view, fault, fault.groups);
    else if (fault.members.length > 0) paintLanes(brush, view, fault);
    else paintBand(brush, view, fault);
  }
}

/** A line where each begins and its name; names of faults that began above stay at the upper edge. */
export function paintFaultLabels(brush: Brush, view: View): void {
  const { context, palette } = brush;
  const { members } = view.layout;
  context.textAlign = 'left';
  let free = 0;
  for (const fault of faultsInView(view)) {
    const top = view.scale.yOf(fault.fromUs);
    if (top >= 0) {
      context.fillStyle = palette('fault');
      context.fillRect(members.left, top - 0.5, members.width, 1);
    }
    const y = Math.max(top + 12, 12, free);
    if (y > Math.max(top + 40, 40)) continue;
    free = y + 13;
    label(brush, fault.label, members.left + 3, y, palette('fault'));
  }
}

function faultsInView({ run, scale }: View): FaultBand[] {
  return run.faults.within(scale.topUs, scale.bottomUs);
}

function paintBand({ context, palette }: Brush, view: View, fault: FaultBand): void {
  const { left, width } = view.layout.members;
  const { top, height } = extent(view, fault);
  context.fillStyle = palette('fault-band');
  context.fillRect(left, top, width, height);
}

/** Lanes of one colour reach each other. */
function paintGroups(
  { context, palette }: Brush,
  view: View,
  fault: FaultBand,
  groups: readonly number[],
): void {
  const { laneX, laneWidth } = view.layout;
  const { top, height } = extent(view, fault);
  groups.forEach((group, member) => {
    const x = laneX[member];
    if (x === undefined || group < 0) return;
    context.fillStyle = palette(`group-${group % 3}`);
    context.fillRect(x - laneWidth / 2, top, laneWidth, height);
  });
}

function paintLanes({ context, palette }: Brush, view: View, fault: FaultBand): void {
  const { laneX } = view.layout;
  const { top, height } = extent(view, fault);
  context.fillStyle = palette('fault-lane');
  for (const member of fault.members) {
    const x = laneX[member];
    if (x !== undefined) context.fillRect(x - 14, top, 28, height);
  }
}

function extent({ scale }: View, { fromUs, untilUs }: FaultBand): { top: number; height: number } {
  const top = Math.max(-2, scale.yOf(fromUs));
  return { top, height: Math.min(scale.height + 2, scale.yOf(untilUs)) - top };
}
