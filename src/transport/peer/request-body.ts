/**
 * A request's body, from a peer that must not fall silent.
 */
import type { IncomingMessage } from 'node:http';

/**
 * The body as it arrives. Throws when the connection breaks, or when nothing comes within
 * `readTimeoutMs` while the reader waits: time that the reader takes itself does not count. Closing it early closes the
 * connection.
 */
export async function* requestBody(
  request: IncomingMessage,
  readTimeoutMs: number,
): AsyncGenerator<Uint8Array, void> {
  const iterator = (request as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const step = await withoutSilence(request, iterator, readTimeoutMs);
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
  readTimeoutMs: number,
): Promise<IteratorResult<Buffer>> {
  const timer = setTimeout(() => request.destroy(new Error('i/o timeout')), readTimeoutMs);
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
  readTimeoutMs: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of requestBody(request, readTimeoutMs)) {
    bytes += chunk.length;
    if (bytes > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
