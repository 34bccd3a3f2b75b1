/** The Lease service, and the two requests that members send each other about leases. */
import type {
  LeaseCheckpoint,
  LeaseGrantRequest,
  LeaseGrantResponse,
  LeaseKeepAliveRequest,
  LeaseKeepAliveResponse,
  LeaseLeasesResponse,
  LeaseRevokeRequest,
  LeaseRevokeResponse,
  LeaseTimeToLiveRequest,
  LeaseTimeToLiveResponse,
} from '../api/index.js';
import {
  codec,
  emptyMessage,
  writeEach,
  writeMessage,
  writeOptional,
  type Codec,
} from './codec.js';
import { readHeader, readHeaderOnly, writeHeader, writeHeaderOnly } from './header.js';
import type { Reader, Writer } from './wire.js';

export function writeLeaseGrantRequest(w: Writer, request: LeaseGrantRequest): void {
  w.integer(2, request.id);
  w.integer(1, request.ttl);
}

export function readLeaseGrantRequest(r: Reader): LeaseGrantRequest {
  const request: LeaseGrantRequest = { ttl: 0, id: 0n };
  while (r.next()) {
    switch (r.field) {
      case 1:
        request.ttl = r.int64();
        break;
      case 2:
        request.id = r.int64Bigint();
        break;
      default:
        r.skip();
    }
  }
  return request;
}

export const leaseGrantRequest = codec<LeaseGrantRequest>(
  writeLeaseGrantRequest,
  readLeaseGrantRequest,
);

function writeLeaseGrantResponse(w: Writer, response: LeaseGrantResponse): void {
  w.string(4, response.error);
  w.integer(3, response.ttl);
  w.integer(2, response.id);
  writeOptional(w, 1, response.header, writeHeader);
}

function readLeaseGrantResponse(r: Reader): LeaseGrantResponse {
  const response: LeaseGrantResponse = { id: 0n, ttl: 0, error: '' };
  while (r.next()) {
    switch (r.field) {
      case 1:
        response.header = r.message(readHeader);
        break;
      case 2:
        response.id = r.int64Bigint();
        break;
      case 3:
        response.ttl = r.safeInt64();
        break;
      case 4:
        response.error = r.string();
        break;
      default:
        r.skip();
    }
  }
  return response;
}

export const leaseGrantResponse = codec<LeaseGrantResponse>(
  writeLeaseGrantResponse,
  readLeaseGrantResponse,
);

interface LeaseId {
  id: bigint;
}

export function writeLeaseId(w: Writer, request: LeaseId): void {
  w.integer(1, request.id);
}

export function readLeaseId(r: Reader): LeaseId {
  const request: LeaseId = { id: 0n };
  while (r.next()) {
    if (r.field === 1) request.id = r.int64Bigint();
    else r.skip();
  }
  return request;
}

export const leaseRevokeRequest = codec<LeaseRevokeRequest>(writeLeaseId, readLeaseId);
export const leaseRevokeResponse = codec<LeaseRevokeResponse>(writeHeaderOnly, readHeaderOnly);
export const leaseKeepAliveRequest = codec<LeaseKeepAliveRequest>(writeLeaseId, readLeaseId);

function writeLeaseKeepAliveResponse(w: Writer, response: LeaseKeepAliveResponse): void {
  w.integer(3, response.ttl);
  w.integer(2, response.id);
  writeOptional(w, 1, response.header, writeHeader);
}

function readLeaseKeepAliveResponse(r: Reader): LeaseKeepAliveResponse {
  const response: LeaseKeepAliveResponse = { id: 0n, ttl: 0 };
  while (r.next()) {
    switch (r.field) {
      case 1:
        response.header = r.message(readHeader);
        break;
      case 2:
        response.id = r.int64Bigint();
        break;
      case 3:
        response.ttl = r.safeInt64();
        break;
      default:
        r.skip();
    }
  }
  return response;
}

export const leaseKeepAliveResponse = codec<LeaseKeepAliveResponse>(
  writeLeaseKeepAliveResponse,
  readLeaseKeepAliveResponse,
);

function writeLeaseTimeToLiveRequest(w: Writer, request: LeaseTimeToLiveRequest): void {
  w.bool(2, request.keys);
  w.integer(1, request.id);
}

function readLeaseTimeToLiveRequest(r: Reader): LeaseTimeToLiveRequest {
  const request: LeaseTimeToLiveRequest = { id: 0n, keys: false };
  while (r.next()) {
    switch (r.field) {
      case 1:
        request.id = r.int64Bigint();
        break;
      case 2:
        request.keys = r.bool();
        break;
      default:
        r.skip();
    }
  }
  return request;
}

export const leaseTimeToLiveRequest = codec<LeaseTimeToLiveRequest>(
  writeLeaseTimeToLiveRequest,
  readLeaseTimeToLiveRequest,
);

function writeLeaseTimeToLiveResponse(w: Writer, response: LeaseTimeToLiveResponse): void {
  const { keys } = response;
  for (let i = keys.length - 1; i >= 0; i--) w.alwaysLatin1(5, keys[i]!);
  w.integer(4, response.grantedTtl);
  w.integer(3, response.ttl);
  w.integer(2, response.id);
  writeOptional(w, 1, response.header, writeHeader);
}

function readLeaseTimeToLiveResponse(r: Reader): LeaseTimeToLiveResponse {
  const response: LeaseTimeToLiveResponse = { id: 0n, ttl: 0, grantedTtl: 0, keys: [] };
  while (r.next()) {
    switch (r.field) {
      case 1:
        response.header = r.message(readHeader);
        break;
      case 2:
        response.id = r.int64Bigint();
        break;
      case 3:
        response.ttl = r.safeInt64();
        break;
      case 4:
        response.grantedTtl = r.safeInt64();
        break;
      case 5:
        response.keys.push(r.latin1());
        break;
      default:
        r.skip();
    }
  }
  return response;
}

export const leaseTimeToLiveResponse = codec<LeaseTimeToLiveResponse>(
  writeLeaseTimeToLiveResponse,
  readLeaseTimeToLiveResponse,
);

export const leaseLeasesRequest = emptyMessage;

function writeLeaseLeasesResponse(w: Writer, response: LeaseLeasesResponse): void {
  writeEach(w, 2, response.leases, writeLeaseId);
  writeOptional(w, 1, response.header, writeHeader);
}

function readLeaseLeasesResponse(r: Reader): LeaseLeasesResponse {
  const response: LeaseLeasesResponse = { leases: [] };
  while (r.next()) {
    switch (r.field) {
      case 1:
        response.header = r.message(readHeader);
        break;
      case 2:
        response.leases.push(r.message(readLeaseId));
        break;
      default:
        r.skip();
    }
  }
  return response;
}

export const leaseLeasesResponse = codec<LeaseLeasesResponse>(
  writeLeaseLeasesResponse,
  readLeaseLeasesResponse,
);

function writeLeaseCheckpoint(w: Writer, checkpoint: LeaseCheckpoint): void {
  w.integer(2, checkpoint.remainingTtl);
  w.integer(1, checkpoint.id);
}

function readLeaseCheckpoint(r: Reader): LeaseCheckpoint {
  const checkpoint: LeaseCheckpoint = { id: 0n, remainingTtl: 0 };
  while (r.next()) {
    switch (r.field) {
      case 1:
        checkpoint.id = r.int64Bigint();
        break;
      case 2:
        checkpoint.remainingTtl = r.safeInt64();
        break;
      default:
        r.skip();
    }
  }
  return checkpoint;
}

/** The content of a LeaseCheckpointRequest. */
export function writeLeaseCheckpoints(w: Writer, checkpoints: readonly LeaseCheckpoint[]): void {
  writeEach(w, 1, checkpoints, writeLeaseCheckpoint);
}

export function readLeaseCheckpoints(r: Reader): LeaseCheckpoint[] {
  const checkpoints: LeaseCheckpoint[] = [];
  while (r.next()) {
    if (r.field === 1) checkpoints.push(r.message(readLeaseCheckpoint));
    else r.skip();
  }
  return checkpoints;
}

/** leasepb's envelopes: one message in field 1, which the receiver needs. */
function envelope<T>(
  write: (w: Writer, value: T) => void,
  read: (r: Reader) => T,
  empty: () => T,
): Codec<T> {
  const readEnvelope = (r: Reader): T => {
    let value = empty();
    while (r.next()) {
      if (r.field === 1) value = r.message(read);
      else r.skip();
    }
    return value;
  };
  return codec<T>((w, value) => writeMessage(w, 1, value, write), readEnvelope);
}

/** Body of POST /leases/internal: leasepb.LeaseInternalRequest. An empty one asks for lease 0. */
export const leaseInternalRequest = envelope<LeaseTimeToLiveRequest>(
  writeLeaseTimeToLiveRequest,
  readLeaseTimeToLiveRequest,
  () => ({ id: 0n, keys: false }),
);

/** Its answer: leasepb.LeaseInternalResponse. */
export const leaseInternalResponse = envelope<LeaseTimeToLiveResponse>(
  writeLeaseTimeToLiveResponse,
  readLeaseTimeToLiveResponse,
  () => ({ id: 0n, ttl: 0, grantedTtl: 0, keys: [] }),
);
