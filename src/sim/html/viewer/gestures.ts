/** Wheel, mouse and fingers on the canvas. */
export interface GestureListener {
  scroll(pixels: number): void;
  zoom(factor: number, y: number): void;
  /** A click or tap; `reach`: how exact it is, in pixels. */
  tap(x: number, y: number, reach: number): void;
  /** The mouse is there and no button is pressed. */
  hover(x: number, y: number): void;
  leave(): void;
  /** A drag that began in the overview. */
  overview(y: number): void;
  isOverview(x: number): boolean;
}

interface Finger {
  x: number;
  y: number;
}

const MOUSE_REACH = 7;
const FINGER_REACH = 18;
/** A pointer that moves less has tapped. */
const TAP_PIXELS = 5;

export function listenToGestures(canvas: HTMLCanvasElement, listener: GestureListener): void {
  new Gestures(canvas, listener);
}

class Gestures {
  readonly #canvas: HTMLCanvasElement;
  readonly #listener: GestureListener;
  readonly #down = new Map<number, Finger>();
  #movedPixels = 0;
  #isInOverview = false;

  constructor(canvas: HTMLCanvasElement, listener: GestureListener) {
    this.#canvas = canvas;
    this.#listener = listener;
    canvas.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener('pointerdown', (event) => this.#press(event));
    canvas.addEventListener('pointermove', (event) => this.#move(event));
    canvas.addEventListener('pointerup', (event) => this.#release(event));
    canvas.addEventListener('pointercancel', ({ pointerId }) => this.#down.delete(pointerId));
    canvas.addEventListener('pointerleave', () => listener.leave());
  }

  /** A pinch on a touchpad comes as a wheel with Ctrl. */
  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const pixels = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    if (event.ctrlKey || event.metaKey || event.shiftKey) {
      const turned = pixels === 0 ? event.deltaX : pixels;
      this.#listener.zoom(Math.exp(-turned / 200), this.#at(event).y);
    } else this.#listener.scroll(pixels);
  }

  #press(event: PointerEvent): void {
    this.#canvas.setPointerCapture(event.pointerId);
    const at = this.#at(event);
    this.#down.set(event.pointerId, at);
    if (this.#down.size > 1) return;
    this.#movedPixels = 0;
    this.#isInOverview = this.#listener.isOverview(at.x);
    if (this.#isInOverview) this.#listener.overview(at.y);
  }

  #move(event: PointerEvent): void {
    const at = this.#at(event);
    const before = this.#down.get(event.pointerId);
    if (before === undefined) return this.#listener.hover(at.x, at.y);
    const others = [...this.#down].filter(([id]) => id !== event.pointerId);
    this.#down.set(event.pointerId, at);
    this.#movedPixels += Math.hypot(at.x - before.x, at.y - before.y);
    if (this.#isInOverview) this.#listener.overview(at.y);
    else if (others.length === 0) this.#listener.scroll(before.y - at.y);
    else this.#pinch(others[0]![1], before, at);
  }

  #pinch(other: Finger, before: Finger, at: Finger): void {
    const was = Math.hypot(before.x - other.x, before.y - other.y);
    const is = Math.hypot(at.x - other.x, at.y - other.y);
    if (was > 0 && is > 0) this.#listener.zoom(is / was, (at.y + other.y) / 2);
  }

  #release(event: PointerEvent): void {
    const at = this.#at(event);
    this.#down.delete(event.pointerId);
    if (this.#isInOverview || this.#movedPixels > TAP_PIXELS) return;
    this.#listener.tap(at.x, at.y, event.pointerType === 'mouse' ? MOUSE_REACH : FINGER_REACH);
  }

  #at({ clientX, clientY }: MouseEvent): Finger {
    const { left, top } = this.#canvas.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }
}
