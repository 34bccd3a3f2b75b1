/** `move-leader <member-id>` */
import type { CallOptions, Client } from '../../client/index.js';
import { badArgs } from '../exit.js';
import type { ParsedFlags } from '../flag-set.js';
import { ParseError, parseUint64 } from '../go-text/numbers.js';
import { result, type Output } from '../output.js';
import type { Session } from '../session.js';

export async function* moveLeader(
  { positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  if (positional.length !== 1) throw badArgs('move-leader command needs 1 argument');
  const to = memberArgument(positional[0]!);
  await session.client();
  const timed = session.timed();
  const { client, id: from } = await findLeader(session, timed);
  const response = await client.maintenance.moveLeader({ targetId: to }, timed);
  yield result({ kind: 'moveLeader', from, to, response });
}

function memberArgument(text: string): bigint {
  try {
    return parseUint64(text, 16);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw badArgs(error.message);
  }
}

/** Only the leader can hand over: asks each endpoint in turn whether it is. */
async function findLeader(
  session: Session,
  timed: CallOptions,
): Promise<{ client: Client; id: bigint }> {
  const endpoints = session.endpoints();
  for (const endpoint of endpoints) {
    const client = await session.clientFor(endpoint);
    const { header, leader } = await client.maintenance.status(timed);
    if (header?.memberId === leader) return { client, id: leader };
  }
  throw badArgs(`no leader endpoint given at [${endpoints.join(' ')}]`);
}
