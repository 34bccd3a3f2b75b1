/** Who is at the other end of a connection. */
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { hostAndPort } from '../listen-address.js';
import { type FieldList, type RequestHead, readRequestHead } from '../../grpc/index.js';
import type { Caller } from './call-room.js';

export function callerOf(connection: Duplex): Caller {
  return {
    remote: remoteOf(connection),
    certificateName: certificateNameOf(connection),
    headOf: rememberingHeads(),
    heldBytes: 0,
  };
}

/** A connection gives the same list again where a request says the same as the last. */
function rememberingHeads(): Caller['headOf'] {
  let lastFields: FieldList | undefined;
  let lastHead: RequestHead | undefined;
  return (fields) => {
    if (fields === lastFields) return lastHead;
    lastFields = fields;
    lastHead = readRequestHead(fields);
    return lastHead;
  };
}

function remoteOf(connection: Duplex): string {
  if (!(connection instanceof Socket)) return 'unknown';
  const { remoteAddress, remotePort } = connection;
  return remoteAddress === undefined ? 'unix' : hostAndPort(remoteAddress, remotePort ?? 0);
}

/** Only a certificate that the listener has verified says who somebody is. */
function certificateNameOf(connection: Duplex): string | undefined {
  if (!(connection instanceof TLSSocket) || !connection.authorized) return undefined;
  // An empty object where there is no certificate.
  const { subject } = connection.getPeerCertificate();
  const name: unknown = subject?.CN;
  return typeof name === 'string' ? name : undefined;
}
