/** What clients did: the history joined with the trace, which knows the members by their hosts. */
import type { History, Instant, Operation, WatchRecord } from '../history.js';
import type { TraceEvent } from '../trace.js';
import type { Places } from './columns.js';
import { requestText, responseText } from './request-text.js';
import { type ArrivalRow, OUTCOMES, type OperationRow } from './viewer/picture.js';

export class ClientRows {
  /** Place of the member by operation. */
  readonly #asked = new Map<number, number>();
  /** The same by watch. */
  readonly #watched: number[] = [];
  readonly #members: Places;
  readonly #clients: Places;
  readonly #texts: Places;

  constructor(members: Places, clients: Places, texts: Places) {
    this.#members = members;
    this.#clients = clients;
    this.#texts = texts;
  }

  /** A `client` event. Watches begin in the order of the history. */
  client({ details }: TraceEvent): void {
    const [what, host, , , id] = details;
    if (what === 'asks') this.#asked.set(Number(id), this.#members.of(String(host)));
    if (what === 'watches') this.#watched.push(this.#members.of(String(host)));
  }

  operations({ operations, watches }: History, endUs: number): OperationRow[] {
    return [
      ...operations.map((operation) => this.#operation(operation, endUs)),
      ...watches.map((watch) => this.#watch(watch, endUs)),
    ];
  }

  arrivals({ watches }: History): ArrivalRow[] {
    return watches.flatMap(({ id, arrivals }) =>
      arrivals.map(({ at, response }) => ({
        atUs: microseconds(at),
        watch: id,
        text: this.#texts.of(responseText(response)),
      })),
    );
  }

  #operation(operation: Operation, endUs: number): OperationRow {
    const { id, clientId, invoked, completed, outcome } = operation;
    return {
      ...span(invoked, completed, endUs),
      id,
      client: this.#clients.of(`c${clientId}`),
      member: this.#asked.get(id) ?? -1,
      outcome: OUTCOMES.indexOf(outcome.kind),
      text: this.#texts.of(operationText(operation)),
    };
  }

  #watch({ id, clientId, request, requested, ended, ...watch }: WatchRecord, endUs: number) {
    const end = ended === undefined ? 'open at the end' : `ended by ${ENDS[ended.why]}`;
    const text = `watcher ${watch.watcherId} ${requestText(request)} (${watch.arrivals.length} responses, ${end})`;
    return {
      ...span(requested, ended?.at, endUs),
      id,
      client: this.#clients.of(`c${clientId}`),
      member: this.#watched[id] ?? -1,
      outcome: OUTCOMES.indexOf('watch'),
      text: this.#texts.of(text),
    };
  }
}

const ENDS = {
  client: 'its client',
  lost: 'the loss of its connection',
  canceled: 'the server',
};

function operationText({ kind, request, outcome }: Operation): string {
  return `${kind} ${requestText(request)} → ${outcomeText(outcome)}`;
}

function outcomeText(outcome: Operation['outcome']): string {
  switch (outcome.kind) {
    case 'ok':
      return `ok ${responseText(outcome.response)}`;
    case 'refused':
      return `refused: ${outcome.message}`;
    case 'unknown':
      return `unknown: ${outcome.error}`;
  }
}

function span(from: Instant, until: Instant | undefined, endUs: number) {
  const atUs = microseconds(from);
  return { atUs, tookUs: (until === undefined ? endUs : microseconds(until)) - atUs };
}

export function microseconds({ ms }: Instant): number {
  return Math.round(ms * 1000);
}
