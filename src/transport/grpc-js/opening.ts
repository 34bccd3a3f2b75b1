/**
 * The beginning of a connection whose client speaks HTTP/2: what has come, up to the first call.
 */
import { repairAuthority } from './authority-repair.js';
import {
  FRAME_HEADER_BYTES,
  type FrameHeader,
  FrameType,
  headerBlockOf,
  isSettingsAck,
  isWholeHeaders,
  PREFACE_BYTES,
  readFrameHeader,
} from './frames.js';

/** What is looked at before a connection is taken as it is. */
const MAX_OPENING_BYTES = 65_536;

/**
 * `wait`: too little has come to say. `sound`: nothing is to be repaired, or nobody can tell. `repair`:
 * the first call had an :authority that had to be repaired, and later ones may have.
 */
export type Verdict = 'wait' | 'sound' | 'repair';

/** Frames that may come before the first call. */
const quietTypes: readonly number[] = [
  FrameType.settings,
  FrameType.windowUpdate,
  FrameType.priority,
];

export class Opening {
  private held: Buffer = Buffer.alloc(0);
  /** Where the next frame begins that has not been looked at. */
  private next = PREFACE_BYTES;
  private greeted = false;
  private owed = false;
  private called = false;

  /** All that has come, preface included, repaired, and without the answer to our SETTINGS. */
  get bytes(): Buffer {
    return this.held;
  }

  /** SETTINGS that we have sent are not acknowledged yet. */
  get ackOwed(): boolean {
    return this.owed;
  }

  /** Looks at more of the connection, whose first bytes must be the preface. */
  push(chunk: Buffer): Verdict {
    this.held = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    let verdict: Verdict | 'next' = 'next';
    while (verdict === 'next') verdict = this.look();
    if (verdict !== 'wait') return verdict;
    const settled = this.called && !this.owed;
    return settled || this.held.length > MAX_OPENING_BYTES ? 'sound' : 'wait';
  }

  /**
   * Is this the moment to send SETTINGS? Clients of grpc-go, and others, call nothing before they have
   * seen them. True once; the acknowledgement is then taken out of `bytes`.
   */
  greet(): boolean {
    const idle = this.next > PREFACE_BYTES && this.next === this.held.length;
    if (this.greeted || !idle) return false;
    this.greeted = true;
    this.owed = true;
    return true;
  }

  private look(): Verdict | 'next' {
    if (this.held.length < this.next + FRAME_HEADER_BYTES) return 'wait';
    const header = readFrameHeader(this.held, this.next);
    if (this.owed && isSettingsAck(header)) return this.dropAck();
    if (this.called) return this.pass(header);
    if (isWholeHeaders(header)) return this.lookAtCall(header);
    return quietTypes.includes(header.type) ? this.pass(header) : 'sound';
  }

  private dropAck(): 'next' {
    const end = this.next + FRAME_HEADER_BYTES;
    this.held = Buffer.concat([this.held.subarray(0, this.next), this.held.subarray(end)]);
    this.owed = false;
    return 'next';
  }

  private pass(header: FrameHeader): 'wait' | 'next' {
    const end = this.endOf(header);
    if (this.held.length < end) return 'wait';
    this.next = end;
    return 'next';
  }

  private lookAtCall(header: FrameHeader): Verdict | 'next' {
    const frame = this.held.subarray(this.next, this.endOf(header));
    if (this.pass(header) === 'wait') return 'wait';
    this.called = true;
    return repairAuthority(headerBlockOf(frame)) ? 'repair' : 'next';
  }

  private endOf(header: FrameHeader): number {
    return this.next + FRAME_HEADER_BYTES + header.payloadBytes;
  }
}
