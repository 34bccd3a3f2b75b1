/** Messages to member 1 in term `term`, as peers would send them. */
import { MessageType, makeMessage, type Message } from '../../../src/raft/index.js';

type Fields = Partial<Omit<Message, 'type' | 'from' | 'to'>>;

export function incoming(type: MessageType, term: number, fields: Fields = {}, from = 2n): Message {
  return makeMessage(type, from, 1n, { term, ...fields });
}

/** An empty append that any log accepts: nothing precedes it. */
export function emptyAppend(term: number, fields: Fields = {}): Message {
  return incoming(MessageType.append, term, fields);
}

/** Types in sending order, for comparison. */
export function typesOf(messages: readonly Message[]): string[] {
  const names = new Map<number, string>(
    Object.entries(MessageType).map(([name, type]) => [type, name]),
  );
  return messages.map(({ type, to }) => `${names.get(type)}>${to}`);
}
