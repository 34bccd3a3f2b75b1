/** Peer networks on loopback, and a handler that records what it is told. */
import { type Message, MessageType } from '../../../src/raft/index.js';
import type {
  PeerHandler,
  PeerIdentity,
  PeerReply,
  PeerRequest,
} from '../../../src/server/peer-network.js';
import { HttpPeerNetwork, type HttpPeerNetworkOptions } from '../../../src/transport/index.js';

export const CLUSTER_ID = 0xc1n;

/** One side of a conversation. */
export class TestMember implements PeerHandler {
  readonly received: Message[] = [];
  readonly unreachableIds: bigint[] = [];
  readonly snapshotResults: { id: bigint; ok: boolean }[] = [];
  readonly removed = new Set<bigint>();
  readonly logs: string[] = [];
  toldRemoved = 0;
  clusterId = CLUSTER_ID;
  network!: HttpPeerNetwork;
  onSnapshot: PeerHandler['receiveSnapshot'] = async () => {
    throw new Error('not expected');
  };
  onRequest: (request: PeerRequest) => PeerReply | undefined = () => undefined;

  constructor(readonly id: bigint) {}

  /** Listens on an ephemeral port, or on `url`. */
  static async start(
    id: bigint,
    url = 'http://127.0.0.1:0',
    options: Partial<HttpPeerNetworkOptions> = {},
  ): Promise<TestMember> {
    const member = new TestMember(id);
    member.network = new HttpPeerNetwork({
      listenUrls: [url],
      serverVersion: '3.6.16',
      minClusterVersion: '3.0.0',
      dialTimeoutMs: 1_000,
      logger: (level, message, fields) =>
        void member.logs.push(`${level} ${message} ${JSON.stringify(fields)}`),
      ...options,
    });
    await member.network.start(member);
    return member;
  }

  get url(): string {
    return this.network.boundUrls[0]!;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  identity(): PeerIdentity {
    const peerUrls = this.network.boundUrls;
    return { memberId: this.id, clusterId: this.clusterId, peerUrls };
  }

  receive(message: Message): void {
    this.received.push(plain(message));
  }

  unreachable(id: bigint): void {
    this.unreachableIds.push(id);
  }

  snapshotSent(id: bigint, ok: boolean): void {
    this.snapshotResults.push({ id, ok });
  }

  receiveSnapshot(message: Message, body: AsyncIterable<Uint8Array>): Promise<void> {
    return this.onSnapshot(message, body);
  }

  isRemoved(id: bigint): boolean {
    return this.removed.has(id);
  }

  removedFromCluster(): void {
    this.toldRemoved++;
  }

  async serve(request: PeerRequest): Promise<PeerReply | undefined> {
    return this.onRequest(request);
  }

  logged(text: string): boolean {
    return this.logs.some((line) => line.includes(text));
  }
}

/** A message whose other fields are blank. */
export function makeMessage(fields: Partial<Message>): Message {
  return {
    type: MessageType.heartbeat,
    to: 0n,
    from: 0n,
    term: 1,
    logTerm: 0,
    index: 0,
    entries: [],
    commit: 0,
    reject: false,
    rejectHint: 0,
    context: new Uint8Array(0),
    ...fields,
  };
}

/** The message with all its bytes as plain Uint8Arrays, for comparing. */
export function plain(message: Message): Message {
  const { snapshot } = message;
  return {
    ...message,
    context: new Uint8Array(message.context),
    entries: message.entries.map((entry) => ({ ...entry, data: new Uint8Array(entry.data) })),
    ...(snapshot && { snapshot: { ...snapshot, data: new Uint8Array(snapshot.data) } }),
  };
}
