/** The trace lines of what is in view, beside the picture. */
import { type Line, lineOf, seconds } from './describe.js';
import type { Shape } from './run.js';
import type { View } from './view.js';

/** With more in view, routine is left out, and then the rest of the list. */
const MAX_LINES = 400;

export interface LinesListener {
  chosen(shape: Shape): void;
  pointed(shape: Shape | undefined): void;
}

export function renderLines(list: HTMLElement, view: View, listener: LinesListener): void {
  const { shapes, left } = shapesInView(view);
  const rows = shapes.map((shape) => rowOf(shape, view, listener));
  if (left > 0) rows.push(element('p', 'more', `… and ${left} more: zoom in`));
  list.replaceChildren(...rows);
  list.querySelector('.selected')?.scrollIntoView({ block: 'nearest' });
}

function shapesInView(view: View): { shapes: Shape[]; left: number } {
  const { run, scale } = view;
  const within = [run.notes, run.operations, run.arrivals, run.commits].flatMap((index): Shape[] =>
    index.within(scale.topUs, scale.bottomUs),
  );
  const begun = [...within, ...view.messages().all]
    .filter((shape) => shape.fromUs >= scale.topUs && view.isShown(shape))
    .sort((a, b) => a.fromUs - b.fromUs);
  const shapes = begun.length <= MAX_LINES ? begun : begun.filter(isTelling).slice(0, MAX_LINES);
  return { shapes, left: begun.length - shapes.length };
}

function isTelling(shape: Shape): boolean {
  if (shape.sort === 'note') return shape.kind !== 'log';
  if (shape.sort === 'operation') return shape.outcome !== 'ok';
  return shape.sort === 'message' && (shape.group === 'vote' || shape.group === 'snapshot');
}

function rowOf(shape: Shape, view: View, listener: LinesListener): HTMLElement {
  const { picture } = view.run;
  const row = element('div', view.selected === shape ? 'row selected' : 'row', '');
  row.append(...wordsOf(lineOf(shape, picture)));
  if (shape.sort === 'message') row.style.setProperty('--mark', `var(--message-${shape.group})`);
  if (shape.sort === 'operation')
    row.style.setProperty('--mark', `var(--outcome-${shape.outcome})`);
  row.addEventListener('click', () => listener.chosen(shape));
  row.addEventListener('mouseenter', () => listener.pointed(shape));
  row.addEventListener('mouseleave', () => listener.pointed(undefined));
  return row;
}

/** Its time, who, and text. */
export function wordsOf({ atUs, who, text }: Line): HTMLElement[] {
  return [element('time', '', seconds(atUs)), element('b', '', who), element('span', '', text)];
}

export function element(tag: string, className: string, text: string): HTMLElement {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.textContent = text;
  return made;
}
