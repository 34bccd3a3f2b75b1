/** Finds out that the other side is gone: pings it when it has been quiet, and gives up without an answer. */
export interface KeepAliveOptions {
  /** Quiet for so long: ping. */
  readonly intervalMs: number;
  /** And for so much longer: gone. */
  readonly timeoutMs: number;
}

/** `ping` says whether it has pinged: not everybody may at any time. */
export class KeepAlive {
  private lastHeardMs = performance.now();
  private pinged = false;
  private timer: NodeJS.Timeout;

  constructor(
    private readonly options: KeepAliveOptions,
    private readonly ping: () => boolean,
    private readonly gone: () => void,
  ) {
    this.timer = this.later(options.intervalMs);
  }

  /** Something came. */
  heard(): void {
    this.lastHeardMs = performance.now();
    this.pinged = false;
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private later(delayMs: number): NodeJS.Timeout {
    return setTimeout(this.check, Math.min(Math.max(1, delayMs), LONGEST_TIMEOUT_MS)).unref();
  }

  private readonly check = (): void => {
    const { intervalMs, timeoutMs } = this.options;
    if (this.pinged) return this.gone();
    const leftMs = intervalMs - (performance.now() - this.lastHeardMs);
    if (leftMs > 0) {
      this.timer = this.later(leftMs);
      return;
    }
    this.pinged = this.ping();
    this.timer = this.later(this.pinged ? timeoutMs : intervalMs);
  };
}

const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
