/** `member list | add | remove | update | promote` */
import type { MembersResponse } from '../../api/index.js';
import { latin1FromUtf8, utf8FromLatin1 } from '../../bytes/index.js';
import type { CallOptions, Client } from '../../client/index.js';
import { CommandError, ExitCode, badArgs } from '../exit.js';
import type { Flags, ParsedFlags } from '../flag-set.js';
import { ParseError, parseUint64 } from '../go-text/numbers.js';
import { result, type MemberChange, type Output } from '../output.js';
import { UrlError, checkUrls } from '../server-urls.js';
import type { Session } from '../session.js';
import { isSerializable } from './get.js';

export async function* list({ flags }: ParsedFlags, session: Session): AsyncGenerator<Output> {
  const linearizable = !isSerializable(flags.string('consistency'));
  const timed = session.timed();
  const client = await session.client();
  const response = await client.cluster.memberList({ linearizable }, timed);
  yield result({ kind: 'memberList', response });
}

export async function* add(
  { flags, positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  const [name, ...more] = positional;
  if (name === undefined) throw badArgs('member name not provided');
  if (more.length > 0) throw badArgs(tooMany(more));
  const urls = requireUrls(flags);
  const timed = session.timed();
  const client = await session.client();
  const request = { peerUrls: checked(urls), isLearner: flags.bool('learner') };
  const response = await client.cluster.memberAdd(request, timed);
  yield result({ kind: 'memberAdd', response, name, peerUrls: urls });
}

/** A URL among the arguments shows what was meant. */
function tooMany(args: readonly string[]): string {
  const urls = args.filter((arg) => /^http/i.test(arg));
  return `too many arguments${urls.map((url) => `, did you mean --peer-urls=${url}`).join('')}`;
}

export async function* update(parsed: ParsedFlags, session: Session): AsyncGenerator<Output> {
  const id = memberArgument(parsed);
  const urls = requireUrls(parsed.flags);
  yield* change('updated in', id, session, ({ cluster }, timed) =>
    cluster.memberUpdate({ id, peerUrls: checked(urls) }, timed),
  );
}

export async function* remove(parsed: ParsedFlags, session: Session): AsyncGenerator<Output> {
  const id = memberArgument(parsed);
  yield* change('removed from', id, session, ({ cluster }, timed) =>
    cluster.memberRemove({ id }, timed),
  );
}

export async function* promote(parsed: ParsedFlags, session: Session): AsyncGenerator<Output> {
  const id = memberArgument(parsed);
  yield* change('promoted in', id, session, ({ cluster }, timed) =>
    cluster.memberPromote({ id }, timed),
  );
}

async function* change(
  done: MemberChange,
  id: bigint,
  session: Session,
  call: (client: Client, timed: CallOptions) => Promise<MembersResponse>,
): AsyncGenerator<Output> {
  const timed = session.timed();
  const client = await session.client();
  yield result({ kind: 'memberChange', change: done, id, response: await call(client, timed) });
}

function memberArgument({ positional }: ParsedFlags): bigint {
  if (positional.length !== 1) throw badArgs('member ID is not provided');
  try {
    return parseUint64(positional[0]!, 16);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw badArgs(`bad member ID arg (${error.message}), expecting ID in Hex`);
  }
}

function requireUrls(flags: Flags): string {
  const urls = flags.string('peer-urls');
  if (urls === '') throw badArgs('member peer urls not provided');
  return urls;
}

/** The URLs one by one, in the order given. Refuses them before the server is asked. */
function checked(urls: string): string[] {
  const list = urls.split(',').map(utf8FromLatin1);
  try {
    checkUrls(list);
    return list;
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    throw new CommandError(ExitCode.error, latin1FromUtf8(error.message), { cause: error });
  }
}
