/** Failures of calls as EtcdError. */
import { Code, EtcdError, etcdError, isEtcdError, statusError } from '../api/index.js';

/** What grpc-js rejects a call with. */
interface StatusLike {
  code: number;
  details: string;
}

function isStatus(error: unknown): error is StatusLike {
  return error instanceof Error && 'code' in error && 'details' in error;
}

/**
 * The refusal behind a failed call. A status that ends a call whose own deadline has passed is this
 * side's `context deadline exceeded`, whatever the transport says of it.
 */
export function fromCallFailure(error: unknown, deadlinePassed: boolean): EtcdError {
  if (error instanceof EtcdError) return error;
  if (!isStatus(error)) return statusError(Code.internal, String(error), { cause: error });
  if (error.code === Code.deadlineExceeded && deadlinePassed) {
    return etcdError('contextDeadlineExceeded', { cause: error });
  }
  return statusError(error.code as Code, error.details, { cause: error });
}

/** Is it worth asking again: the server was not there, or had no leader? */
export function isUnavailable(error: unknown): boolean {
  return isEtcdError(error) && error.code === Code.unavailable;
}

/** Ends a stream for good, where the others call for a new one (etcd's isHaltErr). */
export function isFinal(error: EtcdError): boolean {
  return (
    (error.code !== Code.unavailable && error.code !== Code.internal) || error.name === 'noLeader'
  );
}
