/** Asks a peer for a sign of life now and then: how long a round trip takes. */
import type { Timer } from '../../server/environment.js';
import type { PeerReply } from '../../server/peer-network.js';
import type { Histogram } from '../../server/index.js';
import { errorText, type PeerRoom } from './peer-room.js';
import { hexId } from '../../bytes/index.js';

export interface ProberOptions {
  readonly room: PeerRoom;
  readonly peerId: bigint;
  readonly roundTripSeconds: Histogram;
  readonly ask: (timeoutMs: number) => Promise<PeerReply>;
}

export class Prober {
  private timer: Timer | undefined;
  private stopped = false;
  private healthy = true;

  constructor(private readonly options: ProberOptions) {}

  start(): void {
    const { clock, probeIntervalMs } = this.options.room;
    this.timer = clock.after(probeIntervalMs, () => void this.probe());
  }

  stop(): void {
    this.stopped = true;
    this.timer?.cancel();
  }

  private async probe(): Promise<void> {
    const { room, roundTripSeconds, ask } = this.options;
    const begunMs = room.clock.monotonicMs();
    try {
      await ask(room.probeIntervalMs);
      this.healthy = true;
      roundTripSeconds.observe((room.clock.monotonicMs() - begunMs) / 1000);
    } catch (error) {
      if (!this.stopped) this.noteFailure(error);
    }
    if (!this.stopped) this.start();
  }

  /** A peer that stays away is one line. */
  private noteFailure(error: unknown): void {
    if (!this.healthy) return;
    this.healthy = false;
    this.options.room.logger('warn', 'prober detected unhealthy status', {
      'round-tripper-name': 'ROUND_TRIPPER_RAFT_MESSAGE',
      'remote-peer-id': hexId(this.options.peerId),
      error: errorText(error),
    });
  }
}
