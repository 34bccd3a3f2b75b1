/**
 * What everything that belongs to one member's peer network shares.
 */
import type { Clock, Logger } from '../../server/environment.js';
import type { MemberMetrics } from '../../server/index.js';
import type { PeerHandler } from '../../server/peer-network.js';
import { type TlsDialer, tlsFailureText } from '../tls/index.js';
import type { PeerVersions } from './headers.js';

export interface PeerRoom {
  readonly versions: PeerVersions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly handler: PeerHandler;
  readonly metrics: MemberMetrics;
  /** Pause between two probes of a peer. */
  readonly probeIntervalMs: number;
  /** For peers with https URLs. */
  readonly tls: TlsDialer | undefined;
  /** How long a connection may take to come about. */
  readonly dialTimeoutMs: number;
  /** A connection that should bring something, and has not for this long, is closed. */
  readonly readTimeoutMs: number;
  /** A stream whose peer has taken nothing for this long is closed. */
  readonly writeTimeoutMs: number;
  /** Tells the member, in a later turn and once a turn, that `id` could not be reached. */
  reportUnreachable(id: bigint): void;
  /** Tells the member, once, that it has been removed from the cluster. */
  removedFromCluster(): void;
}

export function errorText(error: unknown): string {
  return tlsFailureText(error) ?? (error instanceof Error ? error.message : String(error));
}
