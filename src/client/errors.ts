/** What a failure of a call asks for. */
import { Code, type EtcdError, isEtcdError } from '../api/index.js';

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
