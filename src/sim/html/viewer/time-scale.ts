/** Time runs down: which moment is at which height. */
export class TimeScale {
  /** Moment at the upper edge, in virtual microseconds. */
  topUs = 0;
  usPerPixel = 1000;
  /** Pixels. */
  height = 1;
  readonly endUs: number;

  /** `endUs`: nothing happens later. */
  constructor(endUs: number) {
    this.endUs = Math.max(endUs, 1);
  }

  get bottomUs(): number {
    return this.usAt(this.height);
  }

  get spanUs(): number {
    return this.height * this.usPerPixel;
  }

  yOf(atUs: number): number {
    return (atUs - this.topUs) / this.usPerPixel;
  }

  usAt(y: number): number {
    return this.topUs + y * this.usPerPixel;
  }

  /** What is in view stays in view. */
  resize(height: number): void {
    const { topUs, spanUs } = this;
    this.height = Math.max(1, height);
    this.show(topUs, topUs + spanUs);
  }

  scroll(pixels: number): void {
    this.topUs += pixels * this.usPerPixel;
    this.#keepInside();
  }

  /** The moment at height `y` stays there; a factor above 1 shows more detail. */
  zoom(factor: number, y: number): void {
    const atUs = this.usAt(y);
    this.usPerPixel /= factor;
    this.#keepScale();
    this.topUs = atUs - y * this.usPerPixel;
    this.#keepInside();
  }

  /** `fromUs` to `untilUs` fill the height. */
  show(fromUs: number, untilUs: number): void {
    this.usPerPixel = (untilUs - fromUs) / this.height;
    this.#keepScale();
    this.topUs = (fromUs + untilUs - this.spanUs) / 2;
    this.#keepInside();
  }

  /** The whole run, with a little room around it. */
  showAll(): void {
    this.show(-ROOM * this.endUs, (1 + ROOM) * this.endUs);
  }

  /** Brings a moment to the middle, without zooming. */
  centre(atUs: number): void {
    this.topUs = atUs - this.spanUs / 2;
    this.#keepInside();
  }

  #keepScale(): void {
    const most = (this.endUs * (1 + 2 * ROOM)) / this.height;
    this.usPerPixel = Math.min(Math.max(this.usPerPixel, FINEST_US_PER_PIXEL), most);
  }

  /** A little room is left before the beginning and after the end. */
  #keepInside(): void {
    this.#keepScale();
    const roomUs = Math.min(this.spanUs, this.endUs) * ROOM;
    const lowest = Math.max(-roomUs, this.endUs + roomUs - this.spanUs);
    this.topUs = Math.min(Math.max(this.topUs, -roomUs), lowest);
  }
}

const FINEST_US_PER_PIXEL = 1;
/** Around the run, as a share of it. */
const ROOM = 0.02;

/** A round step between marks that are at least `pixels` apart. */
export function tickStepUs(scale: TimeScale, pixels: number): number {
  const least = scale.usPerPixel * pixels;
  let step = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5, 10]) {
    if (step * factor >= least) return step * factor;
  }
  return step * 10;
}
