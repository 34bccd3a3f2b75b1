/** `lease grant | revoke | timetolive | list | keep-alive` */
import { int64FromBigint } from '../../api/index.js';
import { CommandError, ExitCode, badArgs } from '../exit.js';
import type { ParsedFlags } from '../flag-set.js';
import { ParseError, parseInt64 } from '../go-text/numbers.js';
import { describeError } from '../go-text/status.js';
import { line, result, type Output } from '../output.js';
import { leaseId } from '../printers/lease-id.js';
import type { Session } from '../session.js';

export async function* grant(
  { positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  if (positional.length !== 1) throw badArgs('lease grant command needs TTL argument');
  const ttl = parsed(positional[0]!, 10, (why) => `bad TTL (${why})`);
  const timed = session.timed();
  const client = await session.client();
  const request = { ttl: int64FromBigint(ttl), id: 0n };
  const response = await explained(client.lease.grant(request, timed), {
    exitCode: ExitCode.error,
    text: (why) => `failed to grant lease (${why})`,
  });
  yield result({ kind: 'leaseGrant', response });
}

export async function* revoke(
  { positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  if (positional.length !== 1) throw badArgs('lease revoke command needs 1 argument');
  const id = leaseArgument(positional[0]!);
  const timed = session.timed();
  const client = await session.client();
  const response = await explained(client.lease.revoke({ id }, timed), {
    exitCode: ExitCode.error,
    text: (why) => `failed to revoke lease (${why})`,
  });
  yield result({ kind: 'leaseRevoke', id, response });
}

export async function* timeToLive(
  { flags, positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  if (positional.length !== 1) {
    throw badArgs('lease timetolive command needs lease ID as argument');
  }
  const id = leaseArgument(positional[0]!);
  const keys = flags.bool('keys');
  const client = await session.client();
  const response = await explained(client.lease.timeToLive({ id, keys }), badConnection);
  yield result({ kind: 'leaseTimeToLive', response, keys });
}

export async function* list(_: ParsedFlags, session: Session): AsyncGenerator<Output> {
  const client = await session.client();
  const response = await explained(client.lease.leases(), badConnection);
  yield result({ kind: 'leaseList', response });
}

export async function* keepAlive(
  { flags, positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  if (positional.length !== 1) {
    throw badArgs('lease keep-alive command needs lease ID as argument');
  }
  const id = leaseArgument(positional[0]!);
  const client = await session.client();
  if (flags.bool('once')) {
    const response = await explained(client.lease.keepAliveOnce(id), badConnection);
    yield result({ kind: 'leaseKeepAlive', response });
    return;
  }
  for await (const response of client.lease.keepAlive(id)) {
    yield result({ kind: 'leaseKeepAlive', response });
  }
  if (session.format() === 'simple') yield line(`lease ${leaseId(id)} expired or revoked.`);
}

interface Explanation {
  exitCode: number;
  text: (why: string) => string;
}

/** These ends have the code of a bad connection in etcdctl, whatever went wrong. */
const badConnection: Explanation = { exitCode: ExitCode.badConnection, text: (why) => why };

async function explained<T>(work: Promise<T>, { exitCode, text }: Explanation): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new CommandError(exitCode, text(describeError(error)), { cause: error });
  }
}

function leaseArgument(text: string): bigint {
  return parsed(text, 16, (why) => `bad lease ID arg (${why}), expecting ID in Hex`);
}

function parsed(text: string, base: 10 | 16, explain: (why: string) => string): bigint {
  try {
    return parseInt64(text, base);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw badArgs(explain(error.message));
  }
}
