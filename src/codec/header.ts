/** ResponseHeader, and the answers that are nothing else. */
import type { HeaderResponse, ResponseHeader } from '../api/index.js';
import { codec, writeOptional } from './codec.js';
import type { Reader, Writer } from './wire.js';

export function writeHeader(w: Writer, header: ResponseHeader): void {
  w.integer(4, header.raftTerm);
  w.integer(3, header.revision);
  w.integer(2, header.memberId);
  w.integer(1, header.clusterId);
}

export function readHeader(r: Reader): ResponseHeader {
  let clusterId = 0n;
  let memberId = 0n;
  let revision = 0;
  let raftTerm = 0;
  while (r.next()) {
    switch (r.field) {
      case 1:
        clusterId = r.uint64Bigint();
        break;
      case 2:
        memberId = r.uint64Bigint();
        break;
      case 3:
        revision = r.safeInt64();
        break;
      case 4:
        raftTerm = r.safeUint64();
        break;
      default:
        r.skip();
    }
  }
  return { clusterId, memberId, revision, raftTerm };
}

export function writeHeaderOnly(w: Writer, response: HeaderResponse): void {
  writeOptional(w, 1, response.header, writeHeader);
}

export function readHeaderOnly(r: Reader): HeaderResponse {
  const response: HeaderResponse = {};
  while (r.next()) {
    if (r.field === 1) response.header = r.message(readHeader);
    else r.skip();
  }
  return response;
}

/** For every answer that carries its header only. */
export const headerResponse = codec<HeaderResponse>(writeHeaderOnly, readHeaderOnly);
