/** Can this member be read? What health checks ask. */
import { SortOrder, SortTarget, isEtcdError } from '../api/index.js';
import type { Member } from './member.js';

/** Why a read of one key fails, or undefined. */
export async function readFailure(
  member: Member,
  serializable: boolean,
): Promise<string | undefined> {
  try {
    if (!serializable) await member.linearizableRead();
    member.store.range(ONE_KEY);
    return undefined;
  } catch (error) {
    return isEtcdError(error) ? error.message : 'internal error';
  }
}

const ONE_KEY = {
  key: 'a',
  rangeEnd: '',
  limit: 1,
  revision: 0,
  sortOrder: SortOrder.none,
  sortTarget: SortTarget.key,
  serializable: true,
  keysOnly: false,
  countOnly: false,
  minModRevision: 0,
  maxModRevision: 0,
  minCreateRevision: 0,
  maxCreateRevision: 0,
};
