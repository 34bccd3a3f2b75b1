/** Carries bytes from one socket to another along a road. */
import type { Socket } from 'node:net';
import type { Road } from './roads.js';

interface Piece {
  readonly bytes: Buffer;
  readonly dueMs: number;
}

/**
 * Reads `from` and writes `to` while the road is open; on a road that is held it stops reading, so that
 * the sender meets full buffers, as with a peer that does not acknowledge. The end of `from` comes after
 * its last byte.
 */
export class Pipe {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #road: Road;
  readonly #pieces: Piece[] = [];
  readonly #forget: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isFull = false;
  #ending: 'no' | 'end' | 'close' = 'no';

  constructor(from: Socket, to: Socket, road: Road) {
    this.#from = from;
    this.#to = to;
    this.#road = road;
    this.#forget = road.onChange(() => this.#pump());
    from.on('data', (bytes: Buffer) => this.#take(bytes));
    from.on('end', () => this.#sourceEnds('end'));
    from.on('close', () => this.#sourceEnds('close'));
    to.on('drain', () => {
      this.#isFull = false;
      this.#pump();
    });
    to.on('close', () => this.#stop());
    this.#pump();
  }

  /** Bytes that were read from `from` before this pipe was there. */
  unshift(bytes: Buffer): void {
    this.#take(bytes);
  }

  #take(bytes: Buffer): void {
    this.#pieces.push({ bytes, dueMs: performance.now() + this.#road.delayMs });
    this.#pump();
  }

  #sourceEnds(how: 'end' | 'close'): void {
    if (this.#ending !== 'close') this.#ending = how;
    this.#pump();
  }

  #pump(): void {
    clearTimeout(this.#timer);
    if (this.#to.destroyed) return;
    const isOpen = !this.#road.isHeld && !this.#isFull;
    if (isOpen) this.#from.resume();
    else return void this.#from.pause();
    while (this.#pieces.length > 0 && !this.#isFull) {
      const waitMs = this.#pieces[0]!.dueMs - performance.now();
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#pump(), waitMs);
        return;
      }
      this.#isFull = !this.#to.write(this.#pieces.shift()!.bytes);
    }
    if (this.#isFull) this.#from.pause();
    else if (this.#ending !== 'no') this.#passEnd();
  }

  #passEnd(): void {
    this.#to.end();
    if (this.#ending === 'close') this.#to.destroySoon();
  }

  /** That `to` is gone, `from` learns by the pipe of the other direction. */
  #stop(): void {
    clearTimeout(this.#timer);
    this.#forget();
    this.#pieces.length = 0;
  }
}
