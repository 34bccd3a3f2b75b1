/** What goes to and fro between this member and one peer, counted. */
import { hexId } from '../../bytes/index.js';
import type { MemberMetrics } from '../../server/index.js';

export class PeerTraffic {
  readonly sentBytes;
  readonly receivedBytes;
  readonly receivedFailures;
  readonly roundTripSeconds;

  constructor(metrics: MemberMetrics, id: bigint) {
    const peer = hexId(id);
    this.sentBytes = metrics.peerSentBytes.with(peer);
    this.receivedBytes = metrics.peerReceivedBytes.with(peer);
    this.receivedFailures = metrics.peerReceivedFailures.with(peer);
    this.roundTripSeconds = metrics.peerRoundTripSeconds.with(peer);
  }
}
