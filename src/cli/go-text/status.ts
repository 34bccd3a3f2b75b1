/** Errors of calls as etcd's client prints them. */
import { Code, isEtcdError, type EtcdError, type EtcdErrorName } from '../../api/index.js';
import { latin1FromUtf8 } from '../../bytes/index.js';

/** Table entries that etcd's client does not know as errors of its own. */
const FOREIGN: ReadonlySet<EtcdErrorName> = new Set<EtcdErrorName>([
  'proposalDropped',
  'notPrimaryLessor',
  'timeoutLeaderTransfer',
]);

const codeNames = new Map(
  Object.entries(Code).map(([name, code]) => [code, name[0]!.toUpperCase() + name.slice(1)]),
);

/**
 * The text of a failure, as bytes: an error of etcd's table by its own words, any other status as
 * `rpc error: code = … desc = …`.
 */
export function describeError(error: unknown): string {
  if (!isEtcdError(error))
    return latin1FromUtf8(error instanceof Error ? error.message : String(error));
  return latin1FromUtf8(isKnown(error) ? error.message : statusText(error.code, error.message));
}

function isKnown(error: EtcdError): boolean {
  return error.name !== 'status' && !FOREIGN.has(error.name);
}

/** Go's text of a gRPC status. */
export function statusText(code: Code, message: string): string {
  return `rpc error: code = ${codeNames.get(code) ?? `Code(${code})`} desc = ${message}`;
}
