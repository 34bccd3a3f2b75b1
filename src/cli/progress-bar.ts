/** How far something is, on the last line of a terminal. */
import { humanizeBytes } from './go-text/sizes.js';

const WIDTH = 30;
const BETWEEN_DRAWINGS_NANOSECONDS = 100_000_000n;
const TO_LINE_START_AND_CLEAR = '\r\x1b[K';

export class ProgressBar {
  #drawnAt: bigint | undefined;

  /** `draw` writes to the terminal; `nanoseconds` is a monotonic clock; bytes are counted by default. */
  constructor(
    private readonly draw: (text: string) => void,
    private readonly nanoseconds: () => bigint,
    private readonly textOf: (done: number, total: number) => string = barText,
  ) {}

  /** Shows `done` of `total`, ten times a second at most. */
  show(done: number, total: number): void {
    const now = this.nanoseconds();
    if (this.#drawnAt !== undefined && now - this.#drawnAt < BETWEEN_DRAWINGS_NANOSECONDS) return;
    this.#drawnAt = now;
    this.draw(TO_LINE_START_AND_CLEAR + this.textOf(done, total));
  }

  /** Leaves the line empty. */
  clear(): void {
    if (this.#drawnAt !== undefined) this.draw(TO_LINE_START_AND_CLEAR);
  }
}

/** `[=======>          ]  42%  1.3 MB of 3.1 MB` */
export function barText(done: number, total: number): string {
  return `${barOf(done, total)}  ${humanizeBytes(done)} of ${humanizeBytes(total)}`;
}

/** `[=======>          ]  42%` */
export function barOf(done: number, total: number): string {
  const share = total > 0 ? Math.min(1, done / total) : 1;
  const filled = Math.floor(share * WIDTH);
  const bar = `${'='.repeat(filled)}${filled < WIDTH ? '>' : ''}`.padEnd(WIDTH);
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `[${bar}] ${percent}%`;
}
