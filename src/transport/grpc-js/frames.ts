/**
 * HTTP/2 frames (RFC 9113, sections 4 and 6), as far as we must tell them apart ourselves.
 */

/** Of what every client says before its first frame (RFC 9113, section 3.4). */
export const PREFACE_BYTES = 24;
export const FRAME_HEADER_BYTES = 9;
/** The largest payload that a server has to take whose SETTINGS do not say otherwise. */
export const MAX_PAYLOAD_BYTES = 16_384;

export const FrameType = {
  headers: 1,
  priority: 2,
  settings: 4,
  windowUpdate: 8,
} as const;

const FrameFlag = { ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;
const PRIORITY_BYTES = 5;

export interface FrameHeader {
  /** Not checked against any limit. */
  readonly payloadBytes: number;
  readonly type: number;
  readonly flags: number;
}

/** A SETTINGS frame that leaves everything at its default. */
export const emptySettings: Uint8Array = Uint8Array.of(0, 0, 0, FrameType.settings, 0, 0, 0, 0, 0);

/** Reads the header at `at`; it must be there as a whole. */
export function readFrameHeader(bytes: Buffer, at: number): FrameHeader {
  return {
    payloadBytes: bytes.readUIntBE(at, 3),
    type: bytes[at + 3]!,
    flags: bytes[at + 4]!,
  };
}

/** Says that the other side has taken our SETTINGS. */
export function isSettingsAck({ type, flags, payloadBytes }: FrameHeader): boolean {
  return type === FrameType.settings && (flags & FrameFlag.ack) !== 0 && payloadBytes === 0;
}

/** HEADERS that no CONTINUATION follows and that keep to the default limit. */
export function isWholeHeaders({ type, flags, payloadBytes }: FrameHeader): boolean {
  if (payloadBytes > MAX_PAYLOAD_BYTES) return false;
  return type === FrameType.headers && (flags & FrameFlag.endHeaders) !== 0;
}

/** The header block within a whole HEADERS frame, not copied; empty when the frame is broken. */
export function headerBlockOf(frame: Buffer): Buffer {
  const { flags } = readFrameHeader(frame, 0);
  let start = FRAME_HEADER_BYTES;
  let end = frame.length;
  if ((flags & FrameFlag.padded) !== 0 && start < end) end -= frame[start++]!;
  if ((flags & FrameFlag.priority) !== 0) start += PRIORITY_BYTES;
  return frame.subarray(Math.min(start, frame.length), Math.max(start, end));
}
