/** A history for people: a line for each operation and watch. */
import type { History, Operation, WatchRecord } from './history.js';

/** In the order of invocation; ids are those that violations name. */
export function historyLines({ operations, watches }: History): string[] {
  const lines = [...operations.map(operationLine), ...watches.map(watchLine)];
  return lines.sort((a, b) => a.sequence - b.sequence).map(({ text }) => text);
}

interface Line {
  readonly sequence: number;
  readonly text: string;
}

function operationLine(operation: Operation): Line {
  const { id, kind, clientId, member, request, invoked, completed, outcome } = operation;
  const span = `${invoked.ms.toFixed(1)}-${completed?.ms.toFixed(1) ?? ''} ms`;
  const result = outcome.kind === 'ok' ? brief(outcome.response) : outcome.error;
  const text =
    `operation ${id}, client ${clientId} at ${member.toString(16)}, ${span}: ` +
    `${kind} ${brief(request)} -> ${outcome.kind} ${result}`;
  return { sequence: invoked.sequence, text };
}

function watchLine(watch: WatchRecord): Line {
  const { id, clientId, member, request, requested, arrivals, ended } = watch;
  const events = arrivals.reduce((sum, { response }) => sum + response.events.length, 0);
  const text =
    `watch ${id}, client ${clientId} at ${member.toString(16)}, from ${requested.ms.toFixed(1)} ms: ` +
    `${brief(request)} -> ${arrivals.length} answers, ${events} events, ended: ${ended?.why ?? 'no'}`;
  return { sequence: requested.sequence, text };
}

/** Without what says nothing: empty, zero and false. */
function brief(value: object): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (key === 'header') return { revision: (part as { revision: number }).revision };
    if (typeof part === 'bigint') return part === 0n ? undefined : part.toString(16);
    const isNothing = part === 0 || part === '' || part === false;
    return isNothing || (Array.isArray(part) && part.length === 0) ? undefined : part;
  });
}
