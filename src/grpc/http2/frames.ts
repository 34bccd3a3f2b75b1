/** HTTP/2 frames by number (RFC 9113, sections 4, 6 and 7). */

/** What every client says before its first frame (section 3.4). */
export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

export const FRAME_HEADER_BYTES = 9;

/** The largest payload until SETTINGS say otherwise, and the largest that we take. */
export const DEFAULT_FRAME_BYTES = 16_384;
export const LARGEST_FRAME_BYTES = 2 ** 24 - 1;

/** Of each side's table of header fields, until SETTINGS say otherwise. */
export const DEFAULT_TABLE_BYTES = 4096;

/** Of a stream and of a connection, until SETTINGS and WINDOW_UPDATE say otherwise. */
export const DEFAULT_WINDOW_BYTES = 65_535;
export const LARGEST_WINDOW_BYTES = 2 ** 31 - 1;

export const FrameType = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const Flag = {
  /** Of SETTINGS and PING. */
  ack: 1,
  /** Of DATA and HEADERS. */
  endStream: 1,
  endHeaders: 4,
  padded: 8,
  priority: 0x20,
} as const;

export const Setting = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

/** Why a stream was reset or a connection closed. */
export const ErrorCode = {
  noError: 0,
  protocolError: 1,
  internalError: 2,
  flowControlError: 3,
  settingsTimeout: 4,
  streamClosed: 5,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  connectError: 10,
  enhanceYourCalm: 11,
  inadequateSecurity: 12,
  http11Required: 13,
} as const;

export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** The other side broke the protocol so that nothing on the connection can be trusted any more. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** Writes a frame's header at `at`; returns where its payload begins. */
export function writeFrameHeader(
  bytes: Uint8Array,
  at: number,
  payloadBytes: number,
  type: number,
  flags: number,
  streamId: number,
): number {
  bytes[at] = payloadBytes >>> 16;
  bytes[at + 1] = payloadBytes >>> 8;
  bytes[at + 2] = payloadBytes;
  bytes[at + 3] = type;
  bytes[at + 4] = flags;
  writeUint32(bytes, at + 5, streamId);
  return at + FRAME_HEADER_BYTES;
}

export function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

export function readUint32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
  );
}

/** A stream id or a window increment: the highest bit says nothing. */
export function readUint31(bytes: Uint8Array, at: number): number {
  return readUint32(bytes, at) & 0x7fffffff;
}
