/** SETTINGS (RFC 9113, section 6.5). */
import {
  ConnectionError,
  DEFAULT_FRAME_BYTES,
  DEFAULT_TABLE_BYTES,
  DEFAULT_WINDOW_BYTES,
  ErrorCode,
  LARGEST_FRAME_BYTES,
  LARGEST_WINDOW_BYTES,
  readUint32,
  Setting,
  writeUint32,
} from './frames.js';

/** What the other side takes. */
export interface PeerSettings {
  headerTableSize: number;
  /** The smallest that it was since somebody looked: a table must have been cut to that, too. */
  smallestHeaderTableSize: number;
  maxConcurrentStreams: number;
  initialWindowSize: number;
  maxFrameSize: number;
  maxHeaderListSize: number;
}

/** In force until the other side says otherwise. */
export function defaultSettings(): PeerSettings {
  return {
    headerTableSize: DEFAULT_TABLE_BYTES,
    smallestHeaderTableSize: DEFAULT_TABLE_BYTES,
    maxConcurrentStreams: Infinity,
    initialWindowSize: DEFAULT_WINDOW_BYTES,
    maxFrameSize: DEFAULT_FRAME_BYTES,
    maxHeaderListSize: Infinity,
  };
}

const SETTING_BYTES = 6;

/** Takes a SETTINGS payload over into `settings`, in its order; throws {@link ConnectionError}. */
export function applySettings(
  settings: PeerSettings,
  bytes: Buffer,
  start: number,
  end: number,
): void {
  if ((end - start) % SETTING_BYTES !== 0) {
    throw new ConnectionError(ErrorCode.frameSizeError, `SETTINGS of ${end - start} bytes`);
  }
  for (let at = start; at < end; at += SETTING_BYTES) {
    applySetting(settings, (bytes[at]! << 8) | bytes[at + 1]!, readUint32(bytes, at + 2));
  }
}

function applySetting(settings: PeerSettings, id: number, value: number): void {
  switch (id) {
    case Setting.headerTableSize:
      settings.headerTableSize = value;
      settings.smallestHeaderTableSize = Math.min(settings.smallestHeaderTableSize, value);
      return;
    case Setting.enablePush:
      return require(value <= 1, ErrorCode.protocolError, id, value);
    case Setting.maxConcurrentStreams:
      settings.maxConcurrentStreams = value;
      return;
    case Setting.initialWindowSize:
      require(value <= LARGEST_WINDOW_BYTES, ErrorCode.flowControlError, id, value);
      settings.initialWindowSize = value;
      return;
    case Setting.maxFrameSize:
      require(value >= DEFAULT_FRAME_BYTES &&
        value <= LARGEST_FRAME_BYTES, ErrorCode.protocolError, id, value);
      settings.maxFrameSize = value;
      return;
    case Setting.maxHeaderListSize:
      settings.maxHeaderListSize = value;
      return;
    default: // unknown ones are to be ignored
  }
}

function require(holds: boolean, code: ErrorCode, id: number, value: number): void {
  if (!holds) throw new ConnectionError(code, `setting ${id} of ${value}`);
}

/** The payload that says `settings`, pairs of number and value. */
export function encodeSettings(
  settings: readonly (readonly [id: number, value: number])[],
): Buffer {
  const bytes = Buffer.alloc(settings.length * SETTING_BYTES);
  settings.forEach(([id, value], i) => {
    bytes[i * SETTING_BYTES + 1] = id;
    writeUint32(bytes, i * SETTING_BYTES + 2, value);
  });
  return bytes;
}
