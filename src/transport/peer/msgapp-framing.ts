/**
 * The `msgapp` stream: appends, of which those that follow on one another leave out what the reader
 * knows. Both ends remember the term and index that the last frame ended at.
 */
import { entry as entryCodec, message as messageCodec } from '../../codec/index.js';
import { type Entry, type Message, MessageType } from '../../raft/index.js';
import { FrameError, type Grammar, MAX_MESSAGE_BYTES } from './frame-parser.js';
import { readLength, readU64, u64 } from './frame-parser.js';
import { blankMessage, encodeMessageFrame } from './message-framing.js';

/** The first byte of a frame. */
const FrameType = { linkHeartbeat: 0, entries: 1, full: 2 } as const;

export const msgAppHeartbeatFrame: Uint8Array[] = [Uint8Array.of(FrameType.linkHeartbeat)];

/** Where the last frame ended; a fresh stream begins at nothing. */
class Position {
  term = 0;
  index = 0;

  /** Does `message` follow on, in the term that it is itself of? */
  isContinuedBy(message: Message): boolean {
    const { index, logTerm, term } = message;
    return index === this.index && logTerm === this.term && logTerm === term;
  }

  /** The term is the message's own, not that of its last entry. */
  moveTo(message: Message): void {
    this.term = message.term;
    this.index = message.entries.at(-1)?.index ?? message.index;
  }
}

/** Writes the frames of one stream; a new stream needs a new encoder. */
export class MsgAppEncoder {
  private readonly position = new Position();

  encode(message: Message): Uint8Array[] {
    if (this.position.isContinuedBy(message)) {
      this.position.index += message.entries.length;
      return encodeEntriesFrame(message);
    }
    this.position.moveTo(message);
    return [Uint8Array.of(FrameType.full), ...encodeMessageFrame(message)];
  }
}

function encodeEntriesFrame(message: Message): Uint8Array[] {
  const parts = [Uint8Array.of(FrameType.entries), u64(message.entries.length)];
  for (const entry of message.entries) {
    const bytes = entryCodec.encode(entry);
    parts.push(u64(bytes.length), bytes);
  }
  parts.push(u64(message.commit));
  return parts;
}

/** Whom a stream leads from and to: frames of type 1 do not say. */
export interface StreamEnds {
  readonly from: bigint;
  readonly to: bigint;
}

/** Reads frames for ever; link heartbeats are left out. */
export function* msgAppStream(ends: StreamEnds, emit: (message: Message) => void): Grammar {
  const position = new Position();
  for (;;) {
    const type = (yield 1)[0];
    if (type === FrameType.full) {
      const message = messageCodec.decode(yield readLength(yield 8, MAX_MESSAGE_BYTES));
      position.moveTo(message);
      emit(message);
    } else if (type === FrameType.entries) {
      const { entries, commit } = yield* readEntries();
      emit(continuation(ends, position, entries, commit));
      position.index += entries.length;
    } else if (type !== FrameType.linkHeartbeat) {
      throw new FrameError(`unknown msgapp frame type ${type}`);
    }
  }
}

function* readEntries(): Generator<number, { entries: Entry[]; commit: number }, Uint8Array> {
  const count = readU64(yield 8);
  const entries: Entry[] = [];
  let bytesLeft = MAX_MESSAGE_BYTES;
  for (let i = 0; i < count; i++) {
    const length = readLength(yield 8, bytesLeft);
    // The 8 bytes of its length count too, so that a frame of empty entries has an end.
    bytesLeft -= length + 8;
    if (bytesLeft < 0) throw new FrameError(`a frame of more than ${MAX_MESSAGE_BYTES} bytes`);
    entries.push(entryCodec.decode(yield length));
  }
  return { entries, commit: readU64(yield 8) };
}

function continuation(
  ends: StreamEnds,
  position: Position,
  entries: readonly Entry[],
  commit: number,
): Message {
  const { term, index } = position;
  return {
    ...blankMessage,
    ...ends,
    type: MessageType.append,
    term,
    logTerm: term,
    index,
    entries,
    commit,
  };
}
