/** The lanes: who is in which role when, and what each commits. */
import { type Brush, label } from './palette.js';
import { COMMIT_DX, NOTE_DX } from './pick.js';
import type { Stretch } from './picture.js';
import type { View } from './view.js';

const BAR = 10;
/** Labels need this much height. */
const LABEL = 13;

export function paintMembers(brush: Brush, view: View): void {
  const { run, scale } = view;
  const stretches = run.stretches.within(scale.topUs, scale.bottomUs);
  for (const stretch of stretches) paintStretch(brush, view, stretch);
  paintCommits(brush, view);
  paintNotes(brush, view);
}

/** Terms and roles, over the arrows. */
export function paintRoleLabels(brush: Brush, view: View): void {
  const { run, scale, layout } = view;
  brush.context.textAlign = 'left';
  const freeY = new Map<number, number>();
  for (const stretch of run.stretches.within(scale.topUs, scale.bottomUs)) {
    const x = layout.laneX[stretch.member];
    if (x === undefined || stretch.state === 'paused') continue;
    const top = Math.max(0, scale.yOf(stretch.fromUs));
    const y = top + LABEL - 2;
    if (y < (freeY.get(stretch.member) ?? 0) || scale.yOf(stretch.untilUs) - top < LABEL) continue;
    freeY.set(stretch.member, y + LABEL);
    label(
      brush,
      stretchText(brush, stretch, layout.laneWidth),
      x + BAR / 2 + 4,
      y,
      brush.palette('text'),
    );
  }
}

/** As much as there is room for beside the bar. */
function stretchText({ context }: Brush, { state, term }: Stretch, laneWidth: number): string {
  const words: [text: string, room: number][] =
    term === 0
      ? [[state, laneWidth - BAR]]
      : [
          [`${NAMES[state]}, term ${term}`, laneWidth / 2 - 3],
          [`${SHORT[state]} ${term}`, laneWidth - BAR],
          [`t${term}`, Infinity],
        ];
  return words.find(([text, room]) => context.measureText(text).width <= room)?.[0] ?? '';
}

const NAMES: Readonly<Record<Stretch['state'], string>> = {
  down: 'down',
  starting: 'starting',
  follower: 'follower',
  preCandidate: 'pre-candidate',
  candidate: 'candidate',
  leader: 'leader',
  paused: 'paused',
};
const SHORT = { ...NAMES, follower: 'foll.', preCandidate: 'pre-c.', candidate: 'cand.' };

function paintStretch({ context, palette }: Brush, view: View, stretch: Stretch): void {
  const { scale, layout } = view;
  const x = layout.laneX[stretch.member];
  if (x === undefined) return;
  const top = Math.max(-2, scale.yOf(stretch.fromUs));
  const bottom = Math.min(scale.height + 2, scale.yOf(stretch.untilUs));
  const height = Math.max(1, bottom - top);
  if (stretch.state === 'down') {
    context.fillStyle = palette('down-band');
    context.fillRect(x - layout.laneWidth / 2, top, layout.laneWidth, height);
    context.fillStyle = palette('down');
    context.fillRect(x - 1, top, 2, height);
  } else if (stretch.state === 'paused') {
    hatch({ context, palette }, x - BAR, top, BAR * 2, height);
  } else {
    context.fillStyle = palette(stretch.state);
    context.fillRect(x - BAR / 2, top, BAR, height);
  }
}

function hatch({ context, palette }: Brush, x: number, y: number, width: number, height: number) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = palette('text');
  context.lineWidth = 1.5;
  context.beginPath();
  for (let at = y - width; at < y + height; at += 6) {
    context.moveTo(x, at + width);
    context.lineTo(x + width, at);
  }
  context.stroke();
  context.restore();
}

function paintCommits(brush: Brush, view: View): void {
  const { context, palette } = brush;
  const { run, scale, layout } = view;
  const isRoomy = scale.usPerPixel < 400;
  context.fillStyle = palette('commit');
  for (const { member, fromUs, index } of run.commits.within(scale.topUs, scale.bottomUs)) {
    const x = layout.laneX[member];
    if (x === undefined) continue;
    const y = scale.yOf(fromUs);
    context.fillRect(x + COMMIT_DX - 3, y - 0.75, 6, 1.5);
    if (isRoomy) label(brush, String(index), x + COMMIT_DX + 5, y + 3.5, palette('commit'));
  }
}

function paintNotes({ context, palette }: Brush, view: View): void {
  const { run, scale, layout } = view;
  for (const note of run.notes.within(scale.topUs, scale.bottomUs)) {
    const x = layout.laneX[note.member];
    if (x === undefined || note.kind === 'role') continue;
    context.fillStyle = palette(note.kind === 'log' ? 'faint' : 'down');
    context.beginPath();
    context.arc(x + NOTE_DX, scale.yOf(note.fromUs), 2, 0, 7);
    context.fill();
  }
}
