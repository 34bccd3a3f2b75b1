/** `member list` */
import type { ParsedFlags } from '../flag-set.js';
import { result, type Output } from '../output.js';
import type { Session } from '../session.js';
import { isSerializable } from './get.js';

export async function* list({ flags }: ParsedFlags, session: Session): AsyncGenerator<Output> {
  const linearizable = !isSerializable(flags.string('consistency'));
  const timed = session.timed();
  const client = await session.client();
  const response = await client.cluster.memberList({ linearizable }, timed);
  yield result({ kind: 'memberList', response });
}
