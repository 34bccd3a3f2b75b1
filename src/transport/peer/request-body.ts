/**
 * A request's body, from a peer that must not fall silent.
 */
import type { IncomingMessage } from 'node:http';
import { SILENCE_TIMEOUT_MS } from './peer-room.js';

/**
 * The body as it arrives. Throws when the connection breaks, or when nothing comes for 5 s while the
 * reader waits: time that the reader takes itself does not count. Closing it early closes the
 * connection.
 */
export async function* requestBody(request: IncomingMessage): AsyncGenerator<Uint8Array, void> {
  const iterator = (request as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const step = await withoutSilence(request, iterator);
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    await iterator.return?.();
  }
}

async function withoutSilence(
  request: IncomingMessage,
  iterator: AsyncIterator<Buffer>,
): Promise<IteratorResult<Buffer>> {
  const timer = setTimeout(() => request.destroy(new Error('i/o timeout')), SILENCE_TIMEOUT_MS);
  try {
    return await iterator.next();
  } finally {
    clearTimeout(timer);
  }
}

/** The whole body, or undefined when it is larger than `limitBytes`. */
export async function wholeRequestBody(
  request: IncomingMessage,
  limitBytes: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of requestBody(request)) {
    bytes += chunk.length;
    if (bytes > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
