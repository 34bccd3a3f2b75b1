/**
 * Who pings too often is sent away, by grpc-go's rules: a ping sooner after the last than `minTimeMs` is
 * a strike, without a stream even one sooner than two hours; the third strike is one too many. An answer
 * on the way to the client wipes strikes out.
 */
const MAX_STRIKES = 2;
const WITHOUT_STREAM_MS = 2 * 60 * 60 * 1000;

export class PingPolice {
  private strikes = 0;
  private lastPingAtMs = -Infinity;
  private answered = false;

  constructor(private readonly minTimeMs: number) {}

  /** A stream's headers or data are being sent. */
  noteAnswer(): void {
    this.answered = true;
  }

  /** Is this ping, at `nowMs`, one too many? */
  isTooMuch(nowMs: number, hasStreams: boolean): boolean {
    const sinceMs = nowMs - this.lastPingAtMs;
    this.lastPingAtMs = nowMs;
    if (this.answered) {
      this.answered = false;
      this.strikes = 0;
      return false;
    }
    if (sinceMs < (hasStreams ? this.minTimeMs : WITHOUT_STREAM_MS)) this.strikes++;
    return this.strikes > MAX_STRIKES;
  }
}
