/**
 * Since when a peer has been reachable without a failure.
 */
import { hexId } from '../../bytes/index.js';
import type { PeerRoom } from './peer-room.js';

export class Activity {
  private sinceMs: number | undefined;

  constructor(
    private readonly room: PeerRoom,
    private readonly id: bigint,
  ) {}

  /** A connection came about, or a message was taken. */
  activate(): void {
    if (this.sinceMs !== undefined) return;
    this.sinceMs = this.room.clock.monotonicMs();
    this.room.logger('info', 'peer became active', { 'peer-id': hexId(this.id) });
  }

  /** Something failed. */
  deactivate(reason: string): void {
    if (this.sinceMs === undefined) return;
    this.sinceMs = undefined;
    const { metrics, handler } = this.room;
    const local = hexId(handler.identity().memberId);
    metrics.peersDisconnected.with(local, hexId(this.id)).value++;
    this.room.logger('warn', 'peer became inactive (message send to peer failed)', {
      'peer-id': hexId(this.id),
      error: reason,
    });
  }

  activeForMs(): number | undefined {
    if (this.sinceMs === undefined) return undefined;
    return this.room.clock.monotonicMs() - this.sinceMs;
  }
}
