/** Faults planted in the record of a run that had none: what the judgement must notice. */
import type { KeyValue } from '../../src/api/index.js';
import type { FinishedRun } from '../../src/sim/judgement.js';
import type { History, Operation, OperationTypes } from '../../src/sim/history.js';
import { putRequest, rangeRequest } from '../../src/sim/workloads/requests.js';

/** A put that was acknowledged, and of which nothing is left. */
export function plantLostWrite(run: FinishedRun): FinishedRun {
  const put = lastPut(run.history);
  const request = putRequest(put.request.key, 'a value that nobody ever saw');
  const response = { header: put.header };
  return { ...run, history: withAnswer(run.history, put, 'put', request, response) };
}

/** A linearizable read that began after a put was acknowledged, and shows what was there before. */
export function plantStaleRead(run: FinishedRun): FinishedRun {
  const put = lastPut(run.history);
  const revision = put.header.revision - 1;
  const before = run.truth.timeline.pairAt(put.request.key, revision);
  const kvs: KeyValue[] = before === undefined ? [] : [before];
  const response = { header: { ...put.header, revision }, kvs, more: false, count: kvs.length };
  const request = rangeRequest(put.request.key);
  return { ...run, history: withAnswer(run.history, put, 'range', request, response) };
}

interface AcknowledgedPut {
  readonly member: bigint;
  readonly request: OperationTypes['put']['request'];
  readonly header: { clusterId: bigint; memberId: bigint; revision: number; raftTerm: number };
}

function lastPut({ operations }: History): AcknowledgedPut {
  for (const operation of operations.toReversed()) {
    if (operation.kind !== 'put' || operation.outcome.kind !== 'ok') continue;
    const { member, request } = operation;
    return { member, request, header: operation.outcome.response.header! };
  }
  throw new Error('no put was acknowledged');
}

/** One more operation, after all others. */
function withAnswer<Kind extends 'put' | 'range'>(
  { operations, watches }: History,
  { member }: AcknowledgedPut,
  kind: Kind,
  request: OperationTypes[Kind]['request'],
  response: OperationTypes[Kind]['response'],
): History {
  const last = Math.max(
    ...operations.map(({ invoked, completed }) => (completed ?? invoked).sequence),
    ...watches.flatMap(({ arrivals }) => arrivals.map(({ at }) => at.sequence)),
  );
  const ms = Math.max(...operations.map(({ invoked }) => invoked.ms));
  const planted = {
    kind,
    id: operations.length,
    clientId: 0,
    member,
    incarnation: 0,
    request,
    invoked: { ms, sequence: last + 1 },
    completed: { ms, sequence: last + 2 },
    outcome: { kind: 'ok', response },
  } as unknown as Operation;
  return { operations: [...operations, planted], watches };
}
