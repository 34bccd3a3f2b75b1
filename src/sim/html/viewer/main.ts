/** Puts the page together and keeps it up to date. */
import { lineOf } from './describe.js';
import { fillFilters } from './filters.js';
import { listenToGestures } from './gestures.js';
import { GOALS, type Goal, nextMoment } from './jumps.js';
import { type LinesListener, renderLines, wordsOf } from './lines.js';
import { paint, viewText } from './paint.js';
import { overviewUs } from './paint-frame.js';
import { readPalette } from './palette.js';
import { shapeAt } from './pick.js';
import type { Picture } from './picture.js';
import { goToPlace, placeOf } from './place-in-url.js';
import { evidenceOf, lastBefore, runOf, type Shape } from './run.js';
import { View } from './view.js';

/** A violation of a moment is shown with so much around it. */
const AROUND_US = 1_500_000;
/** Lines beside the picture follow when it has stood still for so long. */
const REST_MS = 120;

class Page {
  readonly #view: View;
  readonly #canvas = byId('picture') as HTMLCanvasElement;
  readonly #context = this.#canvas.getContext('2d')!;
  readonly #lines = byId('lines');
  #palette = readPalette();
  #isFrameAsked = false;
  #resting: number | undefined;

  constructor(picture: Picture) {
    this.#view = new View(runOf(picture));
    fillFilters(byId('filters'), this.#view, () => this.#filtered());
    this.#listen();
    this.#resize();
    if (!goToPlace(this.#view.scale, location.hash)) this.#showFirst();
    this.#changed();
  }

  /** What a person should see first: the first broken promise, or everything. */
  #showFirst(): void {
    const { scale, run } = this.#view;
    scale.showAll();
    if (run.picture.violations.length > 0) this.#showViolation(0);
  }

  #listen(): void {
    new ResizeObserver(() => this.#resize()).observe(byId('stage'));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.#palette = readPalette();
      this.#changed();
    });
    addEventListener('hashchange', () => {
      if (goToPlace(this.#view.scale, location.hash)) this.#changed();
    });
    addEventListener('keydown', (event) => this.#key(event));
    this.#listenToCanvas();
    this.#listenToBar();
    document.querySelectorAll<HTMLElement>('[data-violation]').forEach((button) => {
      button.addEventListener('click', () => this.#showViolation(Number(button.dataset.violation)));
    });
  }

  #listenToCanvas(): void {
    const view = this.#view;
    listenToGestures(this.#canvas, {
      scroll: (pixels) => this.#change(() => view.scale.scroll(pixels)),
      zoom: (factor, y) => this.#change(() => view.scale.zoom(factor, y)),
      tap: (x, y, reach) => this.#select(shapeAt(view, x, y, reach)),
      hover: (x, y) => this.#hover(shapeAt(view, x, y, 7), x, y),
      leave: () => this.#hover(undefined, 0, 0),
      overview: (y) => this.#change(() => view.scale.centre(overviewUs(view, y))),
      isOverview: (x) => x < view.layout.overview.width,
    });
  }

  #listenToBar(): void {
    const { scale } = this.#view;
    const on = (id: string, action: () => void) =>
      byId(id).addEventListener('click', () => this.#change(action));
    on('zoom-in', () => scale.zoom(2, scale.height / 2));
    on('zoom-out', () => scale.zoom(0.5, scale.height / 2));
    on('whole', () => scale.showAll());
    on('previous', () => this.#jump(false));
    on('next', () => this.#jump(true));
    byId('goal').append(...GOALS.map((goal) => new Option(goal)));
    byId('copy').addEventListener('click', () => {
      void navigator.clipboard?.writeText(byId('command').textContent ?? '');
    });
  }

  #key({ key, target }: KeyboardEvent): void {
    if (target instanceof HTMLSelectElement || target instanceof HTMLInputElement) return;
    const { scale } = this.#view;
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => scale.scroll(60),
      ArrowUp: () => scale.scroll(-60),
      PageDown: () => scale.scroll(scale.height * 0.9),
      PageUp: () => scale.scroll(-scale.height * 0.9),
      Home: () => scale.centre(0),
      End: () => scale.centre(scale.endUs),
      '+': () => scale.zoom(1.5, scale.height / 2),
      '-': () => scale.zoom(1 / 1.5, scale.height / 2),
      '0': () => scale.showAll(),
      n: () => this.#jump(true),
      p: () => this.#jump(false),
      Escape: () => this.#select(undefined),
    };
    const action = actions[key];
    if (action !== undefined) this.#change(action);
  }

  #jump(isForward: boolean): void {
    const view = this.#view;
    const goal = (byId('goal') as HTMLSelectElement).value as Goal;
    const atUs = nextMoment(view, goal, isForward);
    if (atUs === undefined) return;
    if (view.scale.spanUs > 4 * AROUND_US) view.scale.show(atUs - AROUND_US, atUs + AROUND_US);
    view.scale.centre(atUs);
  }

  #showViolation(place: number): void {
    const view = this.#view;
    const violation = view.run.picture.violations[place]!;
    const { fromUs, untilUs } = violation;
    const aroundUs = Math.max(AROUND_US, untilUs - fromUs) / 2;
    view.violation = place;
    view.scale.show(fromUs - aroundUs, untilUs + aroundUs);
    this.#select(evidenceOf(view.run, violation).at(-1) ?? lastBefore(view.run, untilUs));
  }

  #select(shape: Shape | undefined): void {
    this.#view.selected = shape;
    this.#showSelected();
    this.#changed();
  }

  #showSelected(): void {
    const { selected, run } = this.#view;
    const box = byId('selected');
    box.hidden = selected === undefined;
    if (selected !== undefined) box.replaceChildren(...wordsOf(lineOf(selected, run.picture)));
  }

  #hover(shape: Shape | undefined, x: number, y: number): void {
    const tip = byId('tip');
    tip.hidden = shape === undefined;
    if (shape !== undefined) {
      tip.replaceChildren(...wordsOf(lineOf(shape, this.#view.run.picture)));
      const left = Math.min(x + 14, this.#view.layout.width - tip.offsetWidth - 4);
      const isLow = y + tip.offsetHeight + 20 > this.#view.scale.height;
      tip.style.left = `${Math.max(0, left)}px`;
      tip.style.top = `${isLow ? y - tip.offsetHeight - 10 : y + 14}px`;
    }
    if (shape === this.#view.hovered) return;
    this.#view.hovered = shape;
    this.#askFrame();
  }

  #filtered(): void {
    this.#view.relayout();
    this.#placeHeads();
    this.#changed();
  }

  #resize(): void {
    const { clientWidth, clientHeight } = byId('stage');
    const headHeight = byId('heads').offsetHeight;
    const height = Math.max(50, clientHeight - headHeight);
    this.#canvas.width = clientWidth * devicePixelRatio;
    this.#canvas.height = height * devicePixelRatio;
    this.#canvas.style.height = `${height}px`;
    this.#context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    this.#view.resize(clientWidth, height);
    this.#placeHeads();
    this.#paint(); // at once: a canvas is empty after it has got a size
    this.#changed();
  }

  /** Names of the lanes. */
  #placeHeads(): void {
    const { layout, run, areClientsHidden } = this.#view;
    const heads = run.picture.members.flatMap((host, member) => {
      const x = layout.laneX[member];
      return x === undefined ? [] : [headAt(host, x)];
    });
    const { left, width } = layout.clients;
    if (!areClientsHidden && width > 0) heads.push(headAt('clients', left + width / 2));
    byId('heads').replaceChildren(...heads);
  }

  #change(action: () => void): void {
    action();
    this.#changed();
  }

  #changed(): void {
    this.#askFrame();
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.#rest(), REST_MS);
  }

  /** The picture stands still: what is slow to show follows. */
  #rest(): void {
    const isShown = this.#lines.offsetParent !== null;
    if (isShown) renderLines(this.#lines, this.#view, this.#linesListener);
    try {
      history.replaceState(null, '', placeOf(this.#view.scale));
    } catch {
      // Some browsers refuse it for files.
    }
  }

  readonly #linesListener: LinesListener = {
    chosen: (shape) => this.#select(shape),
    pointed: (shape) => {
      this.#view.hovered = shape;
      this.#askFrame();
    },
  };

  #askFrame(): void {
    if (this.#isFrameAsked) return;
    this.#isFrameAsked = true;
    requestAnimationFrame(() => {
      this.#isFrameAsked = false;
      this.#paint();
      byId('view').textContent = viewText(this.#view);
    });
  }

  #paint(): void {
    paint({ context: this.#context, palette: this.#palette }, this.#view);
  }
}

function headAt(text: string, x: number): HTMLElement {
  const head = document.createElement('span');
  head.textContent = text;
  head.style.left = `${x}px`;
  return head;
}

function byId(id: string): HTMLElement {
  return document.getElementById(id)!;
}

new Page(JSON.parse(byId('data').textContent!) as Picture);
