/**
 * The two kinds of long-lived stream between members, and what each has of its own.
 */
import type { Message } from '../../raft/index.js';
import type { Grammar } from './frame-parser.js';
import { encodeMessageFrame, linkHeartbeatFrame, messageStream } from './message-framing.js';
import { MsgAppEncoder, msgAppHeartbeatFrame, msgAppStream } from './msgapp-framing.js';
import type { StreamEnds } from './msgapp-framing.js';

/** As in the path: `msgapp` for appends, `message` for all others. */
export type StreamKind = 'msgapp' | 'message';

export interface StreamEncoder {
  /** Says that the link is alive. */
  readonly heartbeat: readonly Uint8Array[];
  /** The parts of the frame that carries `message`. */
  encode(message: Message): readonly Uint8Array[];
}

/** Encodes one stream from its beginning. */
export function streamEncoder(kind: StreamKind): StreamEncoder {
  if (kind === 'message') return { heartbeat: linkHeartbeatFrame, encode: encodeMessageFrame };
  const encoder = new MsgAppEncoder();
  return { heartbeat: msgAppHeartbeatFrame, encode: (message) => encoder.encode(message) };
}

/** Reads one stream from its beginning. */
export function streamGrammar(
  kind: StreamKind,
  ends: StreamEnds,
  emit: (message: Message) => void,
): Grammar {
  return kind === 'message' ? messageStream(emit) : msgAppStream(ends, emit);
}

export function streamKindOf(text: string | undefined): StreamKind | undefined {
  return text === 'msgapp' || text === 'message' ? text : undefined;
}
