/** `del <key> [range_end]` */
import type { DeleteRangeRequest } from '../../api/index.js';
import { badArgs } from '../exit.js';
import type { Flags, ParsedFlags } from '../flag-set.js';
import { goQuote } from '../go-text/quote.js';
import { result, warning, type Output } from '../output.js';
import type { Session } from '../session.js';
import { keyRange } from './key-range.js';

export async function* del(
  { flags, positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  const request = deleteRequest(flags, positional);
  yield* warnOfRange(flags, request, session);
  const timed = session.timed();
  const client = await session.client();
  yield result({ kind: 'del', response: await client.kv.deleteRange(request, timed) });
}

/** The request that a del's arguments describe. */
export function deleteRequest(flags: Flags, args: readonly string[]): DeleteRangeRequest {
  if (args.length === 0 || args.length > 2) {
    throw badArgs('del command needs one argument as key and an optional argument as range_end');
  }
  const range = keyRange(args, {
    prefix: flags.bool('prefix'),
    fromKey: flags.bool('from-key'),
  });
  return { ...range, prevKv: flags.bool('prev-kv') };
}

const PAUSE_SECONDS = 2;

/**
 * A second argument is a range end, which a user may have meant as a second key: unless --range says
 * that it is, a warning and time to think, as etcdctl gives since 3.6.
 */
export async function* warnOfRange(
  flags: Flags,
  { key, rangeEnd }: DeleteRangeRequest,
  session: Session,
): AsyncGenerator<Output, void> {
  const explicit = flags.bool('range') || flags.bool('prefix') || flags.bool('from-key');
  if (rangeEnd === '' || explicit) return;
  const between = `Keys between ${goQuote(key)} and ${goQuote(rangeEnd)} will be deleted.`;
  yield warning(
    `Warning: ${between} Please interrupt the command within next ${PAUSE_SECONDS} seconds to cancel. You can provide \`--range\` flag to avoid the delay.`,
  );
  await session.host.pause(PAUSE_SECONDS * 1000);
}
