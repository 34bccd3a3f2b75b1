/** `snapshot status | get` and `hashkv`: looks at a snapshot file, and leaves it as it is. */
import { isEtcdError } from '../../api/index.js';
import { BoltReader, snapshotStatus } from '../../bolt/index.js';
import { utf8FromLatin1 } from '../../bytes/index.js';
import { diffSnapshots } from '../../embed/snapshot-diff.js';
import { withSnapshotFile } from '../../embed/snapshot-file.js';
import { hashSnapshot, readSnapshot } from '../../embed/snapshot-keyspace.js';
import { CommandError, ExitCode, badArgs } from '../exit.js';
import type { ParsedFlags } from '../flag-set.js';
import { result, type Output } from '../output.js';
import type { Session } from '../session.js';
import { keyRange } from './key-range.js';
import { checkFormat, snapshotRefusal } from './snapshot-refusal.js';

export async function* status(
  { positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  if (positional.length !== 1) throw badArgs('snapshot status requires exactly one argument');
  await checkFormat(session);
  const found = await read(positional[0]!, (reader) => snapshotStatus(reader));
  yield result({ kind: 'snapshotStatus', status: found });
}

export async function* hashKv(
  { flags, positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  if (positional.length !== 1) {
    throw new CommandError(ExitCode.error, `accepts 1 arg(s), received ${positional.length}`);
  }
  await checkFormat(session);
  const revision = flags.int('rev');
  const hash = await read(positional[0]!, (reader) => hashSnapshot(reader, revision));
  yield result({ kind: 'snapshotHash', hash });
}

export async function* get(
  { flags, positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  if (positional.length !== 2) throw badArgs('snapshot get requires a filename and a key');
  const [path, key] = positional as [string, string];
  await checkFormat(session);
  const range = {
    ...keyRange([key], { prefix: flags.bool('prefix'), fromKey: false }),
    revision: flags.int('rev'),
  };
  const response = await read(path, (reader) => readSnapshot(reader, range));
  yield result({ kind: 'get', response, valueOnly: flags.bool('print-value-only') });
}

/** Exit code 1 when they differ, as diff has it. */
export async function* diff(
  { flags, positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  if (positional.length !== 2) throw badArgs('snapshot diff requires two filenames');
  const [first, second] = positional as [string, string];
  await checkFormat(session);
  const differences = await read(first, (a) =>
    read(second, (b) => diffSnapshots(a, b, flags.string('prefix'))),
  );
  yield result({ kind: 'snapshotDiff', differences });
  if (Object.values(differences).some((keys: string[]) => keys.length > 0)) {
    throw new CommandError(ExitCode.error, '');
  }
}

async function read<T>(path: string, use: (reader: BoltReader) => Promise<T>): Promise<T> {
  try {
    return await withSnapshotFile(utf8FromLatin1(path), async (file) =>
      use(await BoltReader.open(file)),
    );
  } catch (error) {
    // etcd's stores have these words without the server's name before them.
    if (isEtcdError(error)) {
      const message = error.message.replace(/^etcdserver: /, '');
      throw new CommandError(ExitCode.error, message, { cause: error });
    }
    throw snapshotRefusal('stat', path, error);
  }
}
