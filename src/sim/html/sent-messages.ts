/** The messages of a run, from the trace: sends joined with what became of them. */
import type { Detail, TraceEvent } from '../trace.js';
import type { Places } from './columns.js';
import { FATES, type Fate, type MessageRow } from './viewer/picture.js';

export interface SentMessage {
  readonly atUs: number;
  readonly tookUs: number;
  readonly from: number;
  readonly to: number;
  readonly type: string;
  readonly text: string;
  readonly fate: Fate;
  readonly id: number;
}

export class SentMessages {
  /** In the order of sending, but repeated ones. */
  readonly list: SentMessage[] = [];
  /** By number: the place in the list. */
  readonly #places = new Map<Detail, number>();
  readonly #members: Places;

  constructor(members: Places) {
    this.#members = members;
  }

  /** A `send` event. */
  sent({ atUs, who, details }: TraceEvent): void {
    const [id, to, type, ...rest] = details;
    const message: SentMessage = {
      atUs,
      tookUs: 0,
      from: this.#members.of(who),
      to: this.#members.of(String(to)),
      type: String(type),
      text: rest.join(' '),
      fate: 'underWay',
      id: Number(id),
    };
    this.#places.set(id!, this.list.push(message) - 1);
  }

  /** A `receive` event. */
  received(event: TraceEvent): void {
    this.#ends(event, 'received');
  }

  /** A `drop` event. */
  dropped(event: TraceEvent): void {
    this.#ends(event, 'lost');
  }

  /** A message that the network repeats ends twice: its second receipt is one more in the list. */
  #ends({ atUs, details }: TraceEvent, fate: Fate): void {
    const place = this.#places.get(details[0]!);
    if (place === undefined) return;
    const message = this.list[place]!;
    const tookUs = atUs - message.atUs;
    if (message.fate === 'underWay') this.list[place] = { ...message, tookUs, fate };
    else if (fate === 'received') this.list.push({ ...message, tookUs, fate: 'repeated' });
  }
}

export function rowOfMessage(message: SentMessage, texts: Places): MessageRow {
  return {
    ...message,
    type: texts.of(message.type),
    text: texts.of(message.text),
    fate: FATES.indexOf(message.fate),
  };
}
