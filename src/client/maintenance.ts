/** The Maintenance service. It speaks for the one member that answers: use a connection per endpoint. */
import type {
  AlarmRequest,
  AlarmResponse,
  HashKvRequest,
  HashKvResponse,
  HeaderResponse,
  MoveLeaderRequest,
  SnapshotResponse,
  StatusResponse,
} from '../api/index.js';
import type { CallOptions, Connection } from './connection.js';
import { methods } from './method.js';

/** Every call throws EtcdError. */
export interface MaintenanceClient {
  status(options?: CallOptions): Promise<StatusResponse>;
  hashKv(request: HashKvRequest, options?: CallOptions): Promise<HashKvResponse>;
  alarm(request: AlarmRequest, options?: CallOptions): Promise<AlarmResponse>;
  defragment(options?: CallOptions): Promise<HeaderResponse>;
  moveLeader(request: MoveLeaderRequest, options?: CallOptions): Promise<HeaderResponse>;
  /**
   * The keyspace as a bbolt file in pieces, then its SHA-256. A slow reader slows the server's sending,
   * not its writes. The deadline is for the whole.
   */
  snapshot(options?: CallOptions): AsyncGenerator<SnapshotResponse>;
}

export function createMaintenanceClient(connection: Connection): MaintenanceClient {
  return {
    status: (options) => connection.unary(methods.status, {}, options),
    hashKv: (request, options) => connection.unary(methods.hashKv, request, options),
    alarm: (request, options) => connection.unary(methods.alarm, request, options),
    defragment: (options) => connection.unary(methods.defragment, {}, options),
    moveLeader: (request, options) => connection.unary(methods.moveLeader, request, options),
    snapshot: async function* (options) {
      yield* await connection.answers(methods.snapshot, {}, options);
    },
  };
}
