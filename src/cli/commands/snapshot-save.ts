/** `snapshot save <filename>` */
import type { SnapshotResponse } from '../../api/index.js';
import { utf8FromLatin1 } from '../../bytes/index.js';
import { CommandError, ExitCode, badArgs } from '../exit.js';
import type { ParsedFlags } from '../flag-set.js';
import { describeError } from '../go-text/status.js';
import type { Host } from '../host.js';
import { line, type Output } from '../output.js';
import { ProgressBar } from '../progress-bar.js';
import { saveSnapshot } from '../saved-snapshot.js';
import type { Session } from '../session.js';

export async function* save(
  { flags, positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  if (positional.length !== 1) throw badArgs('snapshot save expects one argument <filename>');
  const path = positional[0]!;
  const { maintenance } = await session.client();
  refuseSeveral(session.endpoints());
  // A large keyspace takes its time: only a timeout that was asked for counts.
  const deadline = flags.isGiven('command-timeout') ? session.timed() : {};
  const received = new Received(maintenance.snapshot(deadline), session.host);
  try {
    await saveSnapshot(utf8FromLatin1(path), received.blobs());
  } catch (error) {
    throw new CommandError(ExitCode.interrupted, describeError(error), { cause: error });
  }
  yield line(`Snapshot saved at ${path}`);
  if (received.version !== '') yield line(`Server version ${received.version}`);
}

/** Members differ in what they have applied: it must be clear whose snapshot it is. */
function refuseSeveral(endpoints: readonly string[]): void {
  if (endpoints.length === 1) return;
  throw new CommandError(
    ExitCode.interrupted,
    `snapshot must be requested to one selected node, not multiple [${endpoints.join(' ')}]`,
  );
}

/** The pieces as they arrive: shows how far they are, and keeps the version that they tell. */
class Received {
  version = '';

  constructor(
    private readonly pieces: AsyncIterable<SnapshotResponse>,
    private readonly host: Host,
  ) {}

  async *blobs(): AsyncGenerator<Uint8Array> {
    const { drawProgress, nanoseconds } = this.host;
    const bar = drawProgress && new ProgressBar(drawProgress, nanoseconds);
    let done = 0;
    try {
      for await (const { blob, remainingBytes, version } of this.pieces) {
        this.version = version;
        done += blob.length;
        bar?.show(done, done + remainingBytes);
        yield blob;
      }
    } finally {
      bar?.clear();
    }
  }
}
