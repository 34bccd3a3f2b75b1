/** The format `protobuf`: the bytes of the answer, nothing before or after. */
import { latin1FromBytes } from '../../bytes/index.js';
import {
  alarmResponse,
  deleteRangeResponse,
  headerResponse,
  leaseRevokeResponse,
  memberAddResponse,
  memberListResponse,
  memberRemoveResponse,
  moveLeaderResponse,
  putResponse,
  rangeResponse,
  txnResponse,
  watchResponse,
} from '../../codec/index.js';
import type { ResponseHeader } from '../../api/index.js';
import type { Result } from '../output.js';
import { unsupported } from './unsupported.js';

export function printProtobuf(result: Result): string {
  return latin1FromBytes(encode(result));
}

function encode(result: Result): Uint8Array {
  switch (result.kind) {
    case 'get':
      return rangeResponse.encode(result.response);
    case 'put':
      return putResponse.encode(result.response);
    case 'del':
      return deleteRangeResponse.encode(result.response);
    case 'txn':
      return txnResponse.encode(result.response);
    case 'watch':
      return watchResponse.encode(result.response);
    case 'memberList':
      return memberListResponse.encode(result.response);
    case 'memberAdd':
      return memberAddResponse.encode(result.response);
    case 'memberChange':
      return memberRemoveResponse.encode(result.response); // the others have the same fields
    case 'alarms':
      return alarmResponse.encode(result.response);
    case 'moveLeader':
      return moveLeaderResponse.encode(result.response);
    case 'leaseRevoke':
      return leaseRevokeResponse.encode(result.response);
    case 'leaseGrant':
    case 'leaseKeepAlive':
    case 'leaseTimeToLive':
    case 'leaseList':
      return headerOnly(result.response.header);
    default:
      throw unsupported('protobuf');
  }
}

/**
 * etcdctl embeds the header in its own types for these answers, and so writes the header alone: the
 * bytes of a ResponseHeader.
 */
function headerOnly(header: ResponseHeader | undefined): Uint8Array {
  if (header === undefined) return new Uint8Array(0);
  const TAG_AND_LENGTH_BYTES = 2; // a header is far below 128 bytes
  return headerResponse.encode({ header }).subarray(TAG_AND_LENGTH_BYTES);
}
