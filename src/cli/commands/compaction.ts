/** `compaction <revision>` */
import { int64FromBigint } from '../../api/index.js';
import { CommandError, ExitCode, badArgs } from '../exit.js';
import type { ParsedFlags } from '../flag-set.js';
import { ParseError, parseInt64 } from '../go-text/numbers.js';
import { line, type Output } from '../output.js';
import type { Session } from '../session.js';

export async function* compaction(
  { flags, positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  if (positional.length !== 1) throw badArgs('compaction command needs 1 argument');
  const revision = revisionOf(positional[0]!);
  const timed = session.timed();
  const client = await session.client();
  const request = { revision: int64FromBigint(revision), physical: flags.bool('physical') };
  await client.kv.compact(request, timed);
  yield line(`compacted revision ${revision}`);
}

function revisionOf(text: string): bigint {
  try {
    return parseInt64(text, 10);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new CommandError(ExitCode.error, error.message);
  }
}
