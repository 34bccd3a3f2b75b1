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
  const { faults } = view.layout;
  const { below, above, apart, strayed } = faults.width > 0 ? BESIDE : OVER;
  brush.context.textAlign = 'left';
  let free = above;
  for (const fault of faultsInView(view)) {
    const top = view.scale.yOf(fault.fromUs);
    const y = Math.max(top + below, free);
    const isFar = y > Math.max(top + below, above) + strayed;
    if (top >= 0) paintLeader(brush, view, top, isFar ? top : y - 4);
    if (isFar) continue;
    free = y + apart;
    label(brush, shortened(brush, fault.label, view), faults.left + 3, y, brush.palette('fault'));
  }
}

/** Where names stand, in pixels: beside the lanes, or over them, where fewer fit. */
const BESIDE = { below: 4, above: 12, apart: 13, strayed: 60 };
const OVER = { below: 13, above: 26, apart: 30, strayed: 13 };

/** From its name to its moment, and across the members. */
function paintLeader({ context, palette }: Brush, view: View, y: number, labelY: number): void {
  const { faults, members } = view.layout;
  context.strokeStyle = palette('fault');
  context.lineWidth = 1;
  context.globalAlpha = 0.55;
  context.beginPath();
  if (faults.width > 0) {
    context.moveTo(members.left - 16, labelY);
    context.lineTo(members.left - 4, y);
  }
  context.lineTo(members.left, y);
  context.lineTo(members.left + members.width, y);
  context.stroke();
  context.globalAlpha = 1;
}

function shortened({ context }: Brush, text: string, view: View): string {
  const { faults, members } = view.layout;
  const room = faults.width > 0 ? faults.width - 20 : members.width;
  if (context.measureText(text).width <= room) return text;
  let end = text.length;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > room) end--;
  return `${text.slice(0, end)}…`;
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
