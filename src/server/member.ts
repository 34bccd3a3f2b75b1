/**
 * One member of a cluster: puts the rooms together and drives them. Requests come in through services,
 * entries through raft; everything that time, chance, disk and network do comes in through the
 * {@link Environment}.
 */
import {
  AlarmAction,
  AlarmType,
  type InternalOp,
  type ResponseHeader,
  assert,
  etcdError,
} from '../api/index.js';
import type { Backend } from '../backend/index.js';
import { hexId } from '../bytes/index.js';
import { internalRequest } from '../codec/index.js';
import type { Lessor } from '../lease/index.js';
import type { Store } from '../mvcc/index.js';
import {
  type ConfChange,
  type Entry,
  EntryType,
  type Message,
  MessageType,
  Raft,
  type RaftEvent,
  type Ready,
  type Snapshot,
  type SnapshotMetadata,
} from '../raft/index.js';
import type { LogIdentity } from '../storage/index.js';
import type { Alarms } from './alarms.js';
import { Applier } from './applier.js';
import { AutoCompactor } from './auto-compactor.js';
import { BackendFlusher } from './backend-flusher.js';
import { beBorn, foundCluster } from './bootstrap.js';
import { ClusterVersionMonitor } from './cluster-version-monitor.js';
import { decodeConfChange, encodeConfChange, toMembershipChange } from './conf-changes.js';
import { asOthersApply, decodeRequest, namesRevisions } from './log-entries.js';
import { CorruptionMonitor, checkBeforeStart } from './corruption-check.js';
import type { Clock, Environment, Logger, Random, Timer } from './environment.js';
import { RequestIds } from './ids.js';
import { LeaderWatch } from './leader-watch.js';
import { LeadershipTransfer } from './leadership-transfer.js';
import { LeaseKeeper } from './lease-keeper.js';
import { LeaseRouter } from './lease-router.js';
import { LogCompactor } from './log-compactor.js';
import { type MemberConfig, requestTimeoutMs } from './member-config.js';
import type { Membership, MembershipChange } from './membership.js';
import { ApplyMetrics } from './metrics/apply-metrics.js';
import { exposeMember } from './metrics/member-gauges.js';
import { MemberMetrics } from './metrics/member-metrics.js';
import { PeerGate } from './peer-gate.js';
import { ProposalQueue } from './proposal-queue.js';
import { Proposals, type TimeoutCause } from './proposals.js';
import { publish } from './publisher.js';
import { Quota } from './quota.js';
import { RaftDriver } from './raft-driver.js';
import { logRaftEvent } from './raft-log-lines.js';
import { raftConfig } from './raft-options.js';
import { ReadIndex } from './read-index.js';
import { Reconfiguration } from './reconfiguration.js';
import { SnapshotTransfer, appliedRecords } from './snapshot-transfer.js';
import { type State, checkBelongsTogether, openState, replaceState } from './state.js';
import { SERVER_VERSION, STORAGE_VERSION } from './versions.js';
import { watchDisk } from './watched-disk.js';

/** Committed entries that may wait for the applier before new requests are refused (etcd's figure). */
const MAX_APPLY_BACKLOG = 5000;

export class Member {
  readonly config: MemberConfig;
  readonly memberId: bigint;
  readonly clusterId: bigint;
  readonly store: Store;
  readonly lessor: Lessor;
  readonly membership: Membership;
  readonly alarms: Alarms;
  readonly quota: Quota;
  readonly backend: Backend;
  readonly raft: Raft;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly reconfiguration: Reconfiguration;
  readonly leaseRouter: LeaseRouter;
  readonly leaderWatch: LeaderWatch;
  readonly metrics: MemberMetrics;
  /** Resolves when the cluster knows this member's name and urls: now it may serve clients. */
  readonly ready: Promise<void>;
  /**
   * Resolves with the reason when the member has ended by itself: its disk refused, an invariant broke
   * (both an Error), or it was removed from the cluster ('removed').
   */
  readonly ended: Promise<Error | 'removed'>;

  readonly #environment: Environment;
  readonly #state: State;
  readonly #ids: RequestIds;
  readonly #proposals: Proposals;
  readonly #queue: ProposalQueue;
  readonly #driver: RaftDriver;
  readonly #applier: Applier;
  readonly #reads: ReadIndex;
  readonly #flusher: BackendFlusher;
  readonly #compactor: LogCompactor;
  readonly #leases: LeaseKeeper;
  readonly #snapshots: SnapshotTransfer;
  readonly #versions: ClusterVersionMonitor;
  readonly #transfer: LeadershipTransfer;
  readonly #autoCompactor: AutoCompactor | undefined;
  readonly #corruption: CorruptionMonitor;
  readonly #stopActions: (() => void)[] = [];
  #end!: (reason: Error | 'removed') => void;
  #stopped = false;
  #stopping: Promise<void> | undefined;
  #tickTimer: Timer | undefined;
  #lastTickMs = 0;
  /** How often ticks have come much too late, and up to which of those a quorum has confirmed this leader. */
  #stalls = 0;
  #stallsConfirmed = 0;
  /** When the last leader was lost or replaced; -Infinity before the first. */
  #leaderLostAtMs = -Infinity;
  #quotaAlarmProposed = false;
  /** A snapshot is taking the place of the state. */
  #installing = false;

  /** Starts a member on its four doors. Rejects with one clear error; nothing is left open then but the disk. */
  static async start(config: MemberConfig, outside: Environment): Promise<Member> {
    let fail = (error: unknown): void => {
      throw error;
    };
    const disk = watchDisk(outside.disk, (error) => fail(error));
    const environment = { ...outside, disk };
    const known = environment.disk.log.identity();
    const isFounder = known === undefined && config.initialClusterState === 'new';
    // Peers may call before this member has been born: founders know already who they will be.
    const gate = new PeerGate(config.peerUrls, isFounder ? foundCluster(config) : known);
    await environment.network.start(gate);
    try {
      const birth = known === undefined ? await beBorn(config, environment) : undefined;
      const identity = known ?? birth!;
      const state = await openState(config, environment, (error) => fail(error));
      checkBelongsTogether(identity, state, environment.disk.location);
      if (known !== undefined && config.initialCorruptCheck) {
        const { network, log } = environment;
        await checkBeforeStart({ ...state, memberId: known.memberId, network, logger: log });
      }
      const member = new Member(config, environment, identity, state, isFounder);
      fail = (error) => member.#fatal(error);
      gate.open(member);
      for (const peer of birth?.peers ?? []) environment.network.setPeer(peer.id, peer.peerUrls);
      member.#begin(known !== undefined);
      return member;
    } catch (error) {
      await environment.network.stop();
      throw error;
    }
  }

  private constructor(
    config: MemberConfig,
    environment: Environment,
    identity: LogIdentity,
    state: State,
    isFounder: boolean,
  ) {
    const { clock, disk, network, log } = environment;
    const timeoutMs = requestTimeoutMs(config);
    this.config = config;
    this.memberId = identity.memberId;
    this.clusterId = identity.clusterId;
    this.log = log;
    this.clock = clock;
    this.random = environment.random;
    this.metrics = environment.metrics ?? new MemberMetrics();
    this.#environment = environment;
    this.#state = state;
    this.backend = disk.backend;
    this.store = state.store;
    this.lessor = state.lessor;
    this.membership = state.membership;
    this.alarms = state.alarms;
    this.ended = new Promise((resolve) => (this.#end = resolve));
    this.quota = new Quota(config.quotaBackendBytes, () => disk.backend.sizeBytes());
    this.#ids = new RequestIds(this.memberId, environment.random);
    this.#proposals = new Proposals(clock, timeoutMs, (since) => this.#timeoutCause(since));
    this.#queue = new ProposalQueue(this.#proposals);
    this.raft = new Raft(raftConfig(config, environment, identity.memberId, state));
    this.#driver = new RaftDriver(this.raft, disk.log, clock, {
      beforeTurn: () => this.#queue.offer(this.raft),
      send: (messages) => this.#send(messages),
      applyEntry: (entry) => this.#applyEntry(entry),
      applied: (index) => this.#applied(index),
      applyBlocked: () => this.#flusher.isBlocked(),
      installSnapshot: (snapshot, ready) => this.#install(snapshot, ready),
      readState: (context, index) => this.#reads.confirmed(context, index),
      event: (event) => this.#raftEvent(event),
      fatal: (error) => this.#fatal(error),
    });
    this.#applier = new Applier({
      ...state,
      quota: this.quota,
      monotonicMs: () => clock.monotonicMs(),
      header: (revision) => this.header(revision),
      quotaExceeded: () => this.#raiseNoSpace(),
      metrics: new ApplyMetrics(this.metrics, log, config.warningApplyMs),
      attributesSet: () => {},
      clusterVersionSet: (version) => log('info', 'set cluster version', { to: version }),
    });
    this.#reads = new ReadIndex({
      clock,
      timeoutMs,
      nextId: () => this.#ids.next(),
      appliedIndex: () => this.appliedIndex,
      request: (context) => {
        const accepted = this.#driver.enter((raft) => raft.readIndex(context)) === 'accepted';
        this.#driver.run();
        return accepted;
      },
    });
    this.#flusher = new BackendFlusher({
      backend: disk.backend,
      clock,
      intervalMs: config.backendBatchIntervalMs,
      batchLimit: config.backendBatchLimit,
      drained: () => this.#driver.resumeApply(),
      fatal: (error) => this.#fatal(error),
    });
    this.#snapshots = new SnapshotTransfer({
      disk,
      network,
      membership: this.membership,
      logger: log,
      markApplied: () => this.markApplied(),
      report: (id, ok) => {
        this.#driver.enter((raft) => raft.reportSnapshot(id, ok));
        this.#driver.wake();
      },
    });
    this.#compactor = new LogCompactor({
      log: disk.log,
      backend: disk.backend,
      snapshotCount: config.snapshotCount,
      catchupEntries: config.snapshotCatchupEntries,
      keepFrom: () => this.#snapshots.lowestSending(),
      logger: log,
      fatal: (error) => this.#fatal(error),
    });
    const propose = (op: InternalOp) => this.propose(op);
    this.#leases = new LeaseKeeper({
      lessor: this.lessor,
      clock,
      logger: log,
      propose: (op) => this.proposeAsLeader(op),
      expired: () => this.metrics.leasesExpired.value++,
    });
    this.leaderWatch = new LeaderWatch(clock, config.electionMs, () => this.leader !== 0n);
    this.leaseRouter = new LeaseRouter({
      lessor: this.lessor,
      clock,
      network,
      timeoutMs,
      memberId: this.memberId,
      leader: () => this.leader,
      clearCheckpoint: (id) => this.#clearCheckpoint(id),
      confirmLeadership: () => this.#confirmLeadership(),
      catchUp: () => this.linearizableRead(),
    });
    this.reconfiguration = new Reconfiguration({
      memberId: this.memberId,
      membership: this.membership,
      network,
      clock,
      strict: config.strictReconfigCheck,
      timeoutMs,
      leader: () => this.leader,
      matchOf: (id) => this.raft.status().progress.get(id)?.match,
      nextId: () => this.#ids.next(),
      propose: (change) => this.#proposeConfChange(change),
    });
    this.#versions = new ClusterVersionMonitor({
      memberId: this.memberId,
      membership: this.membership,
      network,
      clock,
      isLeader: () => this.isLeader,
      propose,
    });
    this.#autoCompactor =
      config.autoCompaction &&
      new AutoCompactor({
        policy: config.autoCompaction,
        clock,
        logger: log,
        isLeader: () => this.isLeader,
        currentRevision: () => this.store.currentRevision,
        propose,
      });
    this.#corruption = new CorruptionMonitor({
      memberId: this.memberId,
      store: this.store,
      membership: this.membership,
      network,
      logger: log,
      clock,
      periodMs: config.corruptCheckMs,
      compactionPeriodMs: config.compactHashCheckMs,
      isLeader: () => this.isLeader,
      linearizableRead: () => this.linearizableRead(),
      raise: (memberId) => this.#raiseCorrupt(memberId),
    });
    this.#transfer = new LeadershipTransfer({
      raft: this.raft,
      memberId: this.memberId,
      clock,
      network,
      config,
      voters: () => this.membership.voters(),
      begin: (target) => {
        this.#driver.enter((raft) => raft.transferLeader(target));
        this.#driver.wake();
      },
      log,
    });
    this.ready = publish({
      memberId: this.memberId,
      clusterId: this.clusterId,
      name: config.name,
      clientUrls: config.clientUrls,
      timeoutMs,
      clock,
      logger: log,
      // Whoever joins must know what its hosts can read; founders are of one kind.
      clusterVersion: () =>
        this.membership.clusterVersion ?? (isFounder ? SERVER_VERSION : undefined),
      propose,
      isStopped: () => this.#stopped,
    });
    exposeMember(this);
  }

  // What services ask.

  /** 0n when this member knows no leader. */
  get leader(): bigint {
    return this.raft.leader;
  }

  get isLeader(): boolean {
    return this.raft.leader === this.memberId;
  }

  get isLearner(): boolean {
    return this.#state.applied.confState.learners.includes(this.memberId);
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Proposals that wait to be applied, and those that were given up since the start. */
  get proposalCounts(): { pending: number; failedTotal: number } {
    return { pending: this.#proposals.count, failedTotal: this.#proposals.failedTotal };
  }

  /** Rounds of linearizable reads that were repeated, and that failed, since the start. */
  get readIndexCounts(): { slowTotal: number; failedTotal: number } {
    return { slowTotal: this.#reads.slowTotal, failedTotal: this.#reads.failedTotal };
  }

  /** Is a snapshot taking the place of the state? */
  get isInstalling(): boolean {
    return this.#installing;
  }

  /** Milliseconds since which a peer has been in reach; undefined while it is not. */
  activeForMs(id: bigint): number | undefined {
    return this.#environment.network.activeForMs(id);
  }

  get appliedIndex(): number {
    return this.#state.applied.index;
  }

  /** Schema of the stored keyspace; '' until the cluster has agreed on a version that has one. */
  get storageVersion(): string {
    const version = this.membership.clusterVersion;
    return version === STORAGE_VERSION ? version : '';
  }

  monotonicMs(): number {
    return this.#environment.clock.monotonicMs();
  }

  nextLeaseId(): bigint {
    return this.#ids.nextLeaseId();
  }

  /** The header of an answer; `revision` is the current one unless given. */
  header(revision = this.store.currentRevision): ResponseHeader {
    const { clusterId, memberId } = this;
    return { clusterId, memberId, revision, raftTerm: this.raft.term };
  }

  /**
   * Puts a request into the log. Resolves with what applying it here came to; rejects with an EtcdError:
   * the refusal made at apply, or one that says that the outcome is unknown (a timeout) or that it was
   * never taken.
   */
  propose<T>(op: InternalOp): Promise<T> {
    return this.#propose(op, undefined);
  }

  /**
   * The same for what a leader decides from what only it knows (that a lease has run out): rejects with
   * notLeader when another term has begun before raft took it.
   */
  proposeAsLeader<T>(op: InternalOp): Promise<T> {
    return this.#propose(op, this.raft.term);
  }

  #propose<T>(op: InternalOp, leaderTerm: number | undefined): Promise<T> {
    if (this.#stopped) return Promise.reject(etcdError('stopped'));
    if (this.#isOverloaded()) return Promise.reject(etcdError('requestTooManyRequests'));
    const id = this.#ids.next();
    const rangesChecked = namesRevisions(op);
    const request = {
      id,
      username: '',
      authRevision: 0,
      ...(rangesChecked && { rangesChecked }),
      op,
    };
    const data = internalRequest.encode(request);
    if (data.length > this.config.maxRequestBytes) {
      return Promise.reject(etcdError('requestTooLarge'));
    }
    const proposal = this.#proposals.wait<T>(id, data, request);
    proposal.leaderTerm = leaderTerm;
    this.#queue.add(proposal);
    this.#driver.wake();
    return proposal.result;
  }

  /** Resolves when reading the store here and now is linearizable (dissertation, 6.4). */
  linearizableRead(): Promise<void> {
    return this.#stopped ? Promise.reject(etcdError('stopped')) : this.#reads.wait();
  }

  /** Throws noSpace, and raises the alarm, when `op` no longer fits into the quota. */
  checkQuota(op: InternalOp): void {
    if (this.quota.hasRoomFor(op)) return;
    this.#raiseNoSpace();
    throw etcdError('noSpace');
  }

  /** Hands leadership to a voter; resolves when it leads. Throws notLeader or badLeaderTransferee. */
  transferLeadership(to: bigint): Promise<void> {
    return this.#transfer.to(to);
  }

  /** Writes how far the state is applied into the backend's buffer, for a view or a flush of it. */
  markApplied(): SnapshotMetadata {
    // While a snapshot is being installed nothing says how far the backend is: ask again.
    if (this.#installing) throw etcdError('leaderChanged');
    const applied = { ...this.#state.applied };
    for (const [key, value] of appliedRecords(applied)) this.backend.put('meta', key, value);
    return applied;
  }

  /** Hands leadership to another voter if this member leads and one is in reach; before stopping. */
  async handOver(): Promise<void> {
    if (!this.#stopped) await this.#transfer.beforeStop();
  }

  /** `action` runs when the member stops, for whatever reason. */
  onStop(action: () => void): void {
    this.#stopActions.push(action);
  }

  /** Stops at once. Who waits is told that the server stopped; the disk is left to be closed. */
  stop(): Promise<void> {
    this.#stopping ??= this.#shutDown();
    return this.#stopping;
  }

  // What the network brings (through PeerGate).

  receive(message: Message): void {
    if (this.#stopped || this.membership.isRemoved(message.from)) return;
    if (!isPlausible(message)) {
      this.log('warn', 'dropped a raft message that no member of a real cluster can have sent', {
        from: hexId(message.from),
        type: message.type,
        term: message.term,
        index: message.index,
      });
      return;
    }
    this.#driver.enter((raft) => raft.step(message));
    this.#driver.wake();
  }

  peerUnreachable(id: bigint): void {
    if (this.#stopped) return;
    this.#driver.enter((raft) => raft.reportUnreachable(id));
    this.#driver.wake();
  }

  snapshotSent(id: bigint, ok: boolean): void {
    if (this.#stopped) return;
    const { snapshotsSent, snapshotsNotSent } = this.metrics;
    (ok ? snapshotsSent : snapshotsNotSent).with(hexId(id)).value++;
    this.#snapshots.sent(id, ok);
  }

  async receiveSnapshot(message: Message, body: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#snapshots.discardUpTo(this.appliedIndex);
    await this.#snapshots.receive(message, body);
    this.metrics.snapshotsReceived.with(hexId(message.from)).value++;
    this.receive(message);
    this.#driver.run();
    // Raft has decided: it has taken up this snapshot, waits to, or has no use for it.
    const wanted = this.raft.unstable.snapshot?.metadata.index;
    await this.#snapshots.decided(message, wanted);
  }

  removedFromCluster(): void {
    if (this.#stopped) return;
    this.log('warn', 'this member has been permanently removed from the cluster');
    this.#end('removed');
  }

  // How it runs.

  #begin(isRestart: boolean): void {
    const { network, clock } = this.#environment;
    for (const member of this.membership.list()) {
      if (member.id !== this.memberId) network.setPeer(member.id, member.peerUrls);
    }
    this.backend.beforeCommit(() => {
      if (!this.#installing) this.markApplied();
    });
    this.log('info', isRestart ? 'restarting local member' : 'starting local member', {
      'local-member-id': hexId(this.memberId),
      'cluster-id': hexId(this.clusterId),
      ...(isRestart && { 'commit-index': this.raft.commitIndex }),
    });
    this.#leases.start();
    this.#versions.start();
    this.#autoCompactor?.start();
    this.#corruption.start();
    this.#lastTickMs = clock.monotonicMs();
    this.#driver.run();
    this.#tickLater();
    this.#electSelfIfAlone();
  }

  /** Nobody else could win: there is nothing to wait for. */
  #electSelfIfAlone(): void {
    const { voters, votersOutgoing } = this.#state.applied.confState;
    if (voters.length !== 1 || voters[0] !== this.memberId || votersOutgoing.length > 0) return;
    this.#driver.enter((raft) => raft.campaign());
    this.#driver.wake();
  }

  #tickLater(): void {
    const { clock } = this.#environment;
    this.#tickTimer = clock.after(this.config.heartbeatMs, () => {
      this.#tickLater();
      if (this.#hasStalled()) this.#stalled();
      this.#lastTickMs = clock.monotonicMs();
      this.#driver.enter((raft) => raft.tick());
      this.#proposals.expire();
      this.#driver.wake();
    });
  }

  #stalled(): void {
    this.#stalls++;
    if (!this.isLeader) return;
    this.metrics.heartbeatSendFailures.value++;
    this.log(
      'warn',
      'leader failed to send out heartbeat on time; took too long,' +
        ' leader is overloaded likely from slow disk',
      {
        'heartbeat-interval': `${this.config.heartbeatMs}ms`,
        took: `${(this.monotonicMs() - this.#lastTickMs).toFixed(3)}ms`,
      },
    );
  }

  #send(messages: readonly Message[]): void {
    const toNetwork: Message[] = [];
    for (const message of messages) {
      if (message.to === 0n || this.membership.isRemoved(message.to)) continue;
      if (message.type === MessageType.snapshot) this.#snapshots.send(message);
      else toNetwork.push(message);
    }
    if (toNetwork.length > 0) this.#environment.network.send(toNetwork);
  }

  #applyEntry(entry: Entry): void {
    const { applied } = this.#state;
    assert(
      entry.index === applied.index + 1,
      () => `entry ${entry.index} does not follow applied index ${applied.index}`,
    );
    if (entry.type === EntryType.normal) this.#applyRequest(entry);
    else this.#applyConfChange(entry);
    this.#state.applied = {
      confState: this.#state.applied.confState,
      index: entry.index,
      term: entry.term,
    };
  }

  #applyRequest(entry: Entry): void {
    if (entry.data.length === 0) return this.#applyNoOp(entry);
    const own = this.#proposals.requestOf(entry.data);
    const { id, op, rangesChecked } = own ?? decodeRequest(entry);
    const applicable = rangesChecked ? op : asOthersApply(op);
    this.#proposals.finish(id, this.#applier.apply(applicable));
  }

  /** A leader's first entry: from here it answers for leases (they get their time anew). */
  #applyNoOp(entry: Entry): void {
    this.#proposals.newTermApplied(entry.term);
    if (!this.isLeader || entry.term !== this.raft.term) return;
    this.lessor.promote(this.monotonicMs(), this.config.electionMs);
    this.#versions.check();
  }

  #applyConfChange(entry: Entry): void {
    assert(
      entry.type === EntryType.confChange,
      () => `entry ${entry.index}: joint configuration changes are not part of etcd's log`,
    );
    const confChange = decodeConfChange(entry.data);
    const change = toMembershipChange(confChange);
    const refusal = this.membership.refusal(change);
    const effective = refusal === undefined ? confChange : { ...confChange, nodeId: 0n };
    const confState = this.raft.applyConfChange(effective);
    this.#state.applied = { ...this.#state.applied, confState };
    if (refusal === undefined) {
      this.membership.apply(change);
      this.#changePeers(change);
    }
    this.#proposals.finish(confChange.id, refusal ? { error: refusal } : { value: undefined });
  }

  #changePeers(change: MembershipChange): void {
    const { network } = this.#environment;
    const id = change.kind === 'add' ? change.member.id : change.id;
    const fields = { 'local-member-id': hexId(this.memberId), 'cluster-id': hexId(this.clusterId) };
    if (change.kind === 'remove') {
      this.log('info', 'removed member', { ...fields, 'removed-remote-peer-id': hexId(id) });
      if (id === this.memberId) this.#leaveSoon();
      else network.removePeer(id);
      return;
    }
    const member = this.membership.get(id)!;
    if (change.kind === 'add') {
      this.log('info', 'added member', {
        ...fields,
        'added-peer-id': hexId(id),
        'added-peer-peer-urls': member.peerUrls,
      });
    } else if (change.kind === 'promote') {
      this.log('info', 'promote member', { ...fields, 'promoted-member-id': hexId(id) });
    }
    if (id !== this.memberId) network.setPeer(id, member.peerUrls);
  }

  /** The others should hear of the removal's commit from this member before it goes. */
  #leaveSoon(): void {
    this.#environment.clock.after(this.config.electionMs, () => this.removedFromCluster());
  }

  #applied(index: number): void {
    this.#reads.applied(index);
    this.#flusher.applied();
    this.#compactor.applied(() => ({ ...this.#state.applied }), index);
  }

  async #install(snapshot: Snapshot, ready: Ready): Promise<void> {
    const { metadata } = snapshot;
    const fields = { 'incoming-leader-snapshot-index': metadata.index };
    this.log('info', 'applying snapshot', {
      'current-applied-index': this.appliedIndex,
      ...fields,
    });
    assert(
      metadata.index > this.appliedIndex,
      () => `snapshot at ${metadata.index} is behind applied index ${this.appliedIndex}`,
    );
    const { term, vote } = this.raft.status();
    const hardState = ready.hardState ?? { term, vote, commit: metadata.index };
    this.#installing = true;
    await replaceState(this.#state, () => this.#snapshots.install(snapshot, hardState));
    this.#state.applied = { ...metadata };
    this.#installing = false;
    this.#compactor.installed(metadata.index);
    this.#meetPeers();
    this.log('info', 'applied snapshot', fields);
  }

  /** The membership was replaced as a whole. */
  #meetPeers(): void {
    const { network } = this.#environment;
    for (const id of this.membership.removedIds()) network.removePeer(id);
    for (const member of this.membership.list()) {
      if (member.id !== this.memberId) network.setPeer(member.id, member.peerUrls);
    }
  }

  #raftEvent(event: RaftEvent): void {
    logRaftEvent(this.log, this.memberId, event);
    if (event.type === 'leaderChanged') this.#leaderChanged(event.previous, event.leader);
  }

  #leaderChanged(previous: bigint, leader: bigint): void {
    if (previous !== 0n) this.#leaderLostAtMs = this.monotonicMs();
    if (leader !== 0n) this.metrics.leaderChanges.value++;
    if (leader !== this.memberId) this.lessor.demote();
    this.#reads.leaderChanged();
    this.#driver.wake();
  }

  #isOverloaded(): boolean {
    return this.#queue.isFull || this.raft.commitIndex > this.appliedIndex + MAX_APPLY_BACKLOG;
  }

  #timeoutCause(proposedAtMs: number): TimeoutCause {
    if (this.#leaderLostAtMs >= proposedAtMs) return 'timeoutDueToLeaderFail';
    const { network } = this.#environment;
    const cutOff =
      this.leader !== 0n && !this.isLeader && network.activeForMs(this.leader) === undefined;
    return cutOff ? 'timeoutDueToConnectionLost' : 'timeout';
  }

  #raiseNoSpace(): void {
    if (this.#quotaAlarmProposed) return;
    this.#quotaAlarmProposed = true;
    this.log('warn', 'message exceeded backend quota; raising alarm', {
      'quota-size-bytes': this.quota.limitBytes,
    });
    const request = {
      action: AlarmAction.activate,
      memberId: this.memberId,
      alarm: AlarmType.noSpace,
    };
    const done = () => (this.#quotaAlarmProposed = false);
    this.propose({ kind: 'alarm', request }).then(done, done);
  }

  #raiseCorrupt(memberId: bigint): Promise<unknown> {
    const request = { action: AlarmAction.activate, memberId, alarm: AlarmType.corrupt };
    return this.propose({ kind: 'alarm', request });
  }

  /** Resolves when the change is applied; a leader that is missing is waited for. */
  async #proposeConfChange(change: ConfChange): Promise<void> {
    const { clock } = this.#environment;
    const data = encodeConfChange(change);
    const proposal = this.#proposals.wait<void>(change.id, data);
    proposal.result.catch(() => {}); // it may expire while we wait for a leader
    while (!proposal.settled) {
      const outcome = this.#driver.enter((raft) => raft.proposeConfChange({ type: 'v1', data }));
      if (outcome === 'transferring') this.#proposals.fail(change.id, etcdError('proposalDropped'));
      if (outcome === 'accepted') {
        proposal.takenInTerm = this.raft.term;
        this.#driver.wake();
        break;
      }
      await new Promise<void>((resolve) => clock.after(this.config.heartbeatMs, resolve));
    }
    return proposal.result;
  }

  /**
   * A process that was paused may have been deposed without knowing: after each time that its ticks have
   * stalled, a quorum must confirm that it leads before it extends a lease.
   */
  async #confirmLeadership(): Promise<void> {
    const stalls = this.#stalls;
    if (stalls === this.#stallsConfirmed && !this.#hasStalled()) return;
    await this.linearizableRead();
    this.#stallsConfirmed = Math.max(this.#stallsConfirmed, stalls);
  }

  #hasStalled(): boolean {
    return this.monotonicMs() - this.#lastTickMs > 3 * this.config.heartbeatMs;
  }

  /** A renewed lease has its whole time again: the stored remainder must not cut it short later. */
  async #clearCheckpoint(id: bigint): Promise<void> {
    await this.propose({ kind: 'leaseCheckpoint', checkpoints: [{ id, remainingTtl: 0 }] });
  }

  #fatal(reason: unknown): void {
    if (this.#stopped) return;
    const error = reason instanceof Error ? reason : new Error(String(reason));
    this.#end(error);
    void this.stop();
  }

  async #shutDown(): Promise<void> {
    this.#stopped = true;
    this.#tickTimer?.cancel();
    this.#leases.stop();
    this.#versions.stop();
    this.#autoCompactor?.stop();
    this.#corruption.stop();
    this.#flusher.stop();
    this.leaderWatch.stop();
    this.#driver.stop();
    this.#proposals.failAll(etcdError('stopped'));
    this.#reads.failAll(etcdError('stopped'));
    for (const action of this.#stopActions) action();
    await this.store.close();
    await this.#environment.network.stop();
  }
}

/** No history comes near it; a term or index beyond would break arithmetic here and for ever after. */
const PLAUSIBLE = 2 ** 50;

function isPlausible({ term, logTerm, index, commit, rejectHint, snapshot }: Message): boolean {
  const { metadata } = snapshot ?? { metadata: { index: 0, term: 0 } };
  const numbers = [term, logTerm, index, commit, rejectHint, metadata.index, metadata.term];
  return numbers.every((number) => number < PLAUSIBLE);
}
