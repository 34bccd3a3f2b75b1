/** Messages as arrows between the lanes. */
import { type Group, GROUPS } from './message-groups.js';
import type { Brush } from './palette.js';
import type { Message } from './run.js';
import type { View } from './view.js';

/** Half the width of a lane's bar: arrows begin and end there. */
const EDGE = 6;

export function paintMessages(brush: Brush, view: View): void {
  const { drawn } = view.messages();
  const isRoomy = drawn.length < 1200;
  const byGroup = new Map<Group, Message[]>(GROUPS.map((group) => [group, []]));
  for (const message of drawn) byGroup.get(message.group)!.push(message);
  for (const [group, messages] of byGroup) paintGroup(brush, view, group, messages, isRoomy);
}

/** One of them, so that it stands out. */
export function paintMessage(brush: Brush, view: View, message: Message): void {
  const { context } = brush;
  context.lineWidth = 2.5;
  strokeLines(brush, view, [message]);
  paintEnds(brush, view, [message]);
}

function paintGroup(
  brush: Brush,
  view: View,
  group: Group,
  messages: readonly Message[],
  isRoomy: boolean,
): void {
  const { context, palette } = brush;
  context.strokeStyle = palette(`message-${group}`);
  context.fillStyle = palette(`message-${group}`);
  context.lineWidth = group === 'vote' || group === 'snapshot' ? 1.6 : 1;
  context.globalAlpha = isRoomy ? 0.9 : 0.6;
  const arrived = messages.filter(isReceived);
  strokeLines(brush, view, arrived);
  context.setLineDash([3, 3]);
  const lost = messages.filter((message) => !isReceived(message));
  strokeLines(brush, view, lost);
  context.setLineDash([]);
  paintEnds(brush, view, isRoomy ? messages : lost);
  context.globalAlpha = 1;
}

function isReceived({ fate }: Message): boolean {
  return fate === 'received' || fate === 'repeated';
}

function strokeLines({ context }: Brush, view: View, messages: readonly Message[]): void {
  context.beginPath();
  for (const message of messages) {
    const { x1, y1, x2, y2 } = ends(view, message);
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
  }
  context.stroke();
}

function paintEnds({ context }: Brush, view: View, messages: readonly Message[]): void {
  context.beginPath();
  for (const message of messages) {
    const { x1, y1, x2, y2 } = ends(view, message);
    if (isReceived(message)) arrowHead(context, x1, y1, x2, y2);
    else cross(context, x2, y2);
  }
  context.fill();
  context.stroke();
}

/** What did not arrive ends short of its goal. */
function ends({ layout, scale }: View, message: Message) {
  const from = layout.laneX[message.from]!;
  const to = layout.laneX[message.to]!;
  const edge = to > from ? EDGE : -EDGE;
  const x1 = from + edge;
  const y1 = scale.yOf(message.fromUs);
  const goal = to - edge;
  if (isReceived(message)) return { x1, y1, x2: goal, y2: scale.yOf(message.untilUs) };
  const y2 = y1 + (scale.yOf(message.untilUs) - y1) * SHORT;
  return { x1, y1, x2: x1 + (goal - x1) * SHORT, y2 };
}

const SHORT = 0.6;

function arrowHead(
  context: CanvasRenderingContext2D,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
): void {
  const angle = Math.atan2(y2 - y1, x2 - x1);
  context.moveTo(x2, y2);
  context.lineTo(x2 - 6 * Math.cos(angle - 0.4), y2 - 6 * Math.sin(angle - 0.4));
  context.lineTo(x2 - 6 * Math.cos(angle + 0.4), y2 - 6 * Math.sin(angle + 0.4));
  context.closePath();
}

function cross(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.moveTo(x - 3, y - 3);
  context.lineTo(x + 3, y + 3);
  context.moveTo(x - 3, y + 3);
  context.lineTo(x + 3, y - 3);
}
