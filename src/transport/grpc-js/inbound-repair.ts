/**
 * Repairs all that comes on an HTTP/2 connection, whatever pieces it comes in.
 */
import { repairAuthority } from './authority-repair.js';
import {
  FRAME_HEADER_BYTES,
  headerBlockOf,
  isSettingsAck,
  isWholeHeaders,
  PREFACE_BYTES,
  readFrameHeader,
} from './frames.js';

const nothing = Buffer.alloc(0);

export class InboundRepair {
  /** Bytes that pass as they are, before the next frame begins. */
  private passing = PREFACE_BYTES;
  /** The beginning of a frame, too short to be judged. */
  private held: Buffer = nothing;

  /** With `ackOwed`, the first acknowledgement of SETTINGS is taken out. */
  constructor(private ackOwed: boolean) {}

  /**
   * What can be handed on after `chunk`, maybe nothing; the first chunk begins with the preface.
   * Header blocks without continuation are held until they are whole; `chunk` is changed in place.
   */
  push(chunk: Buffer): Buffer {
    const bytes = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    const parts: Buffer[] = [];
    let at = 0;
    while (at < bytes.length) {
      const count = this.passing > 0 ? this.pass(bytes.length - at) : this.frame(bytes, at);
      if (count === 0) break;
      if (count > 0) parts.push(bytes.subarray(at, at + count));
      at += Math.abs(count);
    }
    this.held = bytes.subarray(at);
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  private pass(available: number): number {
    const count = Math.min(available, this.passing);
    this.passing -= count;
    return count;
  }

  /** How many bytes to hand on, if positive, to leave out, if negative; 0: more must come first. */
  private frame(bytes: Buffer, at: number): number {
    if (bytes.length < at + FRAME_HEADER_BYTES) return 0;
    const header = readFrameHeader(bytes, at);
    if (this.ackOwed && isSettingsAck(header)) {
      this.ackOwed = false;
      return -FRAME_HEADER_BYTES;
    }
    if (!isWholeHeaders(header)) {
      this.passing = header.payloadBytes;
      return FRAME_HEADER_BYTES;
    }
    const end = at + FRAME_HEADER_BYTES + header.payloadBytes;
    if (bytes.length < end) return 0;
    repairAuthority(headerBlockOf(bytes.subarray(at, end)));
    return end - at;
  }
}
