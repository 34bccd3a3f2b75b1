/** Where in the picture a violation is seen: at what shows it, or else where the run ended. */
import type { Violation } from '../checkers/violation.js';
import type { History } from '../history.js';
import { microseconds } from './client-rows.js';
import type { BrokenPromise } from './viewer/picture.js';

export function brokenPromise(
  violation: Violation,
  history: History,
  endUs: number,
): BrokenPromise {
  const { promise, explanation, operations = [], watches = [] } = violation;
  const times = [
    ...operations.flatMap((id) => operationTimes(history, id, endUs)),
    ...(operations.length > 0 ? [] : watches.flatMap((id) => watchTimes(history, id, endUs))),
  ];
  const fromUs = times.length > 0 ? Math.min(...times) : endUs;
  const untilUs = times.length > 0 ? Math.max(...times) : endUs;
  return { promise, explanation, fromUs, untilUs, operations, watches };
}

function operationTimes({ operations }: History, id: number, endUs: number): number[] {
  const operation = operations[id];
  if (operation === undefined) return [];
  const { invoked, completed } = operation;
  return [microseconds(invoked), completed === undefined ? endUs : microseconds(completed)];
}

function watchTimes({ watches }: History, id: number, endUs: number): number[] {
  const watch = watches[id];
  if (watch === undefined) return [];
  const { requested, ended } = watch;
  return [microseconds(requested), ended === undefined ? endUs : microseconds(ended.at)];
}
