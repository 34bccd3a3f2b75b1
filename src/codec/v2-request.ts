/** etcdserverpb.Request: what is left of the v2 store in the logs of etcd 3.4 and 3.5. */
import { DecodeError, type Reader, type Writer } from './wire.js';

/** The fields that matter; the others are zero in every request still made. */
export interface V2Request {
  id: bigint;
  /** One of PUT, POST, DELETE, QGET and SYNC. */
  method: string;
  path: string;
  value: string;
}

const methods: readonly string[] = ['PUT', 'POST', 'DELETE', 'QGET', 'SYNC'];

/** All fields but the two optional ones (8 prevExist, 17 refresh), zeros included, as etcd does. */
export function writeV2Request(w: Writer, request: V2Request): void {
  w.alwaysBool(16, false); // stream
  w.alwaysInteger(15, 0); // time
  w.alwaysBool(14, false); // quorum
  w.alwaysBool(13, false); // sorted
  w.alwaysBool(12, false); // recursive
  w.alwaysInteger(11, 0); // since
  w.alwaysBool(10, false); // wait
  w.alwaysInteger(9, 0); // expiration
  w.alwaysInteger(7, 0); // prevIndex
  w.alwaysString(6, ''); // prevValue
  w.alwaysBool(5, false); // dir
  w.alwaysString(4, request.value);
  w.alwaysString(3, request.path);
  w.alwaysString(2, request.method);
  w.alwaysInteger(1, request.id);
}

/** Throws when the method is none of the five: the bytes are something else then. */
export function readV2Request(r: Reader): V2Request {
  const request: V2Request = { id: 0n, method: '', path: '', value: '' };
  while (r.next()) {
    switch (r.field) {
      case 1:
        request.id = r.uint64Bigint();
        break;
      case 2:
        request.method = r.string();
        break;
      case 3:
        request.path = r.string();
        break;
      case 4:
        request.value = r.string();
        break;
      default:
        r.skip();
    }
  }
  if (!methods.includes(request.method)) throw new DecodeError('no v2 request');
  return request;
}
