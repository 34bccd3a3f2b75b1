/**
 * How a member reaches its peers and is reached by them: etcd's rafthttp as two interfaces. The
 * process speaks HTTP/1.1 behind them (src/transport/peer); the simulator passes messages by.
 */
import type { Message } from '../raft/index.js';

/** What the member calls. Nothing here blocks or throws; a queue that is full drops (peer-protocol 1.7). */
export interface PeerNetwork {
  /** Starts serving `handler`; called once, before any other call. */
  start(handler: PeerHandler): Promise<void>;
  /** Begins to dial a member. Replaces its urls when it is known already. */
  setPeer(id: bigint, peerUrls: readonly string[]): void;
  /** Stops talking to it; its streams end. */
  removePeer(id: bigint): void;
  /**
   * Sends in order, per peer. Messages for unknown peers are dropped. A drop or a failed send is
   * reported through {@link PeerHandler.unreachable}. Snapshot messages do not come here.
   */
  send(messages: readonly Message[]): void;
  /**
   * Streams a snapshot: the message, then `body` to its end. The result is reported through
   * {@link PeerHandler.snapshotSent}; `body` is always consumed or returned (closed).
   */
  sendSnapshot(message: Message, body: AsyncIterable<Uint8Array>): void;
  /** Milliseconds since this peer has been reachable without a failure, or undefined if it is not. */
  activeForMs(id: bigint): number | undefined;
  /**
   * One HTTP request to a peer (lease renewal at the leader, promote, version, hashkv). Tries the
   * peer's urls in turn; rejects when none answers within `timeoutMs`.
   */
  request(id: bigint, request: PeerRequest, timeoutMs: number): Promise<PeerReply>;
  /** The same to a member that is known by its urls only (a joiner looking for the cluster). */
  requestUrls(
    peerUrls: readonly string[],
    request: PeerRequest,
    timeoutMs: number,
  ): Promise<PeerReply>;
  stop(): Promise<void>;
}

export interface PeerRequest {
  method: 'GET' | 'POST';
  /** Begins with '/'. */
  path: string;
  contentType?: string;
  /** It came from another server than Kvorum: a real etcd. */
  isForeign?: boolean;
  /** The token of the client whose request is passed on (promote). */
  authorization?: string;
  body?: Uint8Array;
}

export interface PeerReply {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** Who we are, for headers and checks. */
export interface PeerIdentity {
  memberId: bigint;
  clusterId: bigint;
  peerUrls: readonly string[];
}

/** What the network calls. All of it is called from the event loop, never inside a PeerNetwork call. */
export interface PeerHandler {
  identity(): PeerIdentity;
  /** A message from a peer, checked for cluster, addressee and sender. */
  receive(message: Message): void;
  /** A message to `id` was dropped or a connection to it failed. */
  unreachable(id: bigint): void;
  snapshotSent(id: bigint, ok: boolean): void;
  /**
   * A snapshot arrives; resolves when `body` has been stored and the message handed to raft. A
   * rejection is answered with 500, and nothing of it is kept.
   */
  receiveSnapshot(message: Message, body: AsyncIterable<Uint8Array>): Promise<void>;
  /** Was this id removed from the cluster for good? Only then may it be told to shut down. */
  isRemoved(id: bigint): boolean;
  /** This member was told (410 or 403) that it has been removed. */
  removedFromCluster(): void;
  /** Answers the other peer endpoints (/members, /version, /leases …); undefined is 404. */
  serve(request: PeerRequest): Promise<PeerReply | undefined>;
}
