/** Calls as the wire has them: for those who want to see every answer, or send what no typed call would. */
import type {
  LeaseKeepAliveRequest,
  LeaseKeepAliveResponse,
  WatchRequest,
  WatchResponse,
} from '../api/index.js';
import type { Codec } from '../codec/index.js';
import type { CallOptions, Connection } from './connection.js';
import type { Answers, CallMetadata, Stream } from './link.js';
import { methods } from './method.js';

/** Nothing here is retried or taken up again. */
export interface RawClient {
  /** Sends a message that is encoded already to any method. Throws EtcdError. */
  unary(path: string, message: Uint8Array, options?: CallOptions): Promise<Uint8Array>;
  /** One request, any number of answers. */
  answers(path: string, message: Uint8Array, options?: CallOptions): Promise<Answers<Uint8Array>>;
  /** A watch stream of its own. */
  watch(metadata?: CallMetadata): Promise<Stream<WatchRequest, WatchResponse>>;
  /** A keep-alive stream of its own. */
  keepAlive(
    metadata?: CallMetadata,
  ): Promise<Stream<LeaseKeepAliveRequest, LeaseKeepAliveResponse>>;
}

export function createRawClient(connection: Connection): RawClient {
  return {
    unary: (path, message, options) => connection.unary(methodAt(path), message, options),
    answers: (path, message, options) => connection.answers(methodAt(path), message, options),
    watch: (metadata) => connection.stream(methods.watch, metadata),
    keepAlive: (metadata) => connection.stream(methods.leaseKeepAlive, metadata),
  };
}

const asIs: Codec<Uint8Array> = { encode: (bytes) => bytes, decode: (bytes) => bytes };

function methodAt(path: string) {
  return { path, request: asIs, response: asIs, repeatable: false };
}
