/** Raft messages in a trace. */
import { type Message, MessageType } from '../raft/index.js';
import type { Detail } from './trace.js';

const NAMES = Object.fromEntries(
  Object.entries(MessageType).map(([name, type]) => [type, name]),
) as Record<MessageType, keyof typeof MessageType>;

/** Its type's name and the fields that most types use, in fixed places. */
export function messageDetails(message: Message): Detail[] {
  const { type, term, logTerm, index, entries, commit, reject } = message;
  const details: Detail[] = [NAMES[type], 'term', term];
  if (index > 0) details.push('index', index);
  if (logTerm > 0) details.push('logTerm', logTerm);
  if (entries.length > 0) details.push('entries', entries.length);
  if (commit > 0) details.push('commit', commit);
  if (reject) details.push('rejected');
  return details;
}
