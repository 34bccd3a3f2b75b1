/** Compressed messages: gzip, which grpc-go and all others know. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { Code, statusError } from '../api/index.js';

export const GZIP = 'gzip';

/** Throws a status when the message is too long, or none. */
export function decompress(message: Uint8Array, maxBytes: number): Buffer {
  try {
    return gunzipSync(message, { maxOutputLength: maxBytes });
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw tooLarge
      ? statusError(
          Code.resourceExhausted,
          `grpc: received message after decompression larger than max ${maxBytes}`,
        )
      : statusError(Code.internal, `grpc: failed to decompress the received message: ${error}`, {
          cause: error,
        });
  }
}

export function compress(message: Uint8Array): Buffer {
  return gzipSync(message);
}

/** Does a list like `gzip, deflate` name gzip? */
export function acceptsGzip(accepted: string): boolean {
  return accepted.split(',').some((name) => name.trim() === GZIP);
}
