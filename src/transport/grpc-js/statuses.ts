/**
 * grpc-js ends some calls by itself: a message too large, a deadline that has passed. Clients know
 * those refusals by the words of grpc-go, which etcd is built on.
 */
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { Code } from '../../api/index.js';

type SendStatus = ServerInterceptingCallInterface['sendStatus'];
type Status = Parameters<SendStatus>[0];

/** The numbers are only to be had from grpc-js's own text. */
const TOO_LARGE = /^Received message larger than max \((\d+) vs/;

/**
 * From now on what grpc-js itself sends on `wire` is said in grpc-go's words. Returns what sends a
 * status unchanged, for our own.
 */
export function translateStatuses(
  wire: ServerInterceptingCallInterface,
  maxReceiveBytes: number,
): SendStatus {
  const send = wire.sendStatus.bind(wire);
  wire.sendStatus = (status) => send(inGrpcGoWords(status, maxReceiveBytes));
  return send;
}

function inGrpcGoWords(status: Status, maxReceiveBytes: number): Status {
  if (status.code === Number(Code.deadlineExceeded)) {
    return { ...status, details: 'context deadline exceeded' };
  }
  if (status.code !== Number(Code.resourceExhausted)) return status;
  const size = TOO_LARGE.exec(status.details)?.[1];
  return {
    ...status,
    details:
      size === undefined
        ? `grpc: received message after decompression larger than max ${maxReceiveBytes}`
        : `grpc: received message larger than max (${size} vs. ${maxReceiveBytes})`,
  };
}
