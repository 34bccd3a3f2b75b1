/**
 * A member's first start: found a cluster with others, or join one that runs. Later starts read
 * everything from the data dir and ignore the initial-* flags, as etcd does.
 */
import type { Member } from '../api/index.js';
import { hexId, parseHexId } from '../bytes/index.js';
import { membersJson } from '../codec/index.js';
import { type Entry, EntryType } from '../raft/index.js';
import type { Clock, Disk, Environment } from './environment.js';
import { encodeConfChange, toConfChange } from './conf-changes.js';
import { clusterIdOf, compareIds, memberIdOf } from './ids.js';
import { type InitialMember, type MemberConfig, StartError } from './member-config.js';
import type { PeerNetwork, PeerReply } from './peer-network.js';

/** Who this member is, and whom it must reach before the log tells it of others. */
export interface Birth {
  memberId: bigint;
  clusterId: bigint;
  peers: Member[];
  /** Founders write these to the log before anything else; a joiner has none. */
  entries: Entry[];
}

/** How long a peer may take to say who it is. */
const ASK_TIMEOUT_MS = 1500;
/** A joiner asks again: its addition may not have reached all members yet. */
const JOIN_ATTEMPTS = 10;
const JOIN_PAUSE_MS = 500;

/** A first start: found or join, as the config says, and write it down. */
export async function beBorn(config: MemberConfig, environment: Environment): Promise<Birth> {
  const { network, disk, clock } = environment;
  const isNew = config.initialClusterState === 'new';
  const birth = isNew ? foundCluster(config) : await joinCluster(config, network, clock);
  if (isNew) await checkNotBootstrapped(birth, network);
  await recordBirth(birth, disk);
  return birth;
}

/**
 * The founders' ids and first log entries: every founder computes the same. Throws {@link StartError}
 * when the flags contradict each other.
 */
export function foundCluster(config: MemberConfig): Birth {
  const founders = config.initialCluster.map((initial) => founder(initial, config));
  founders.sort((a, b) => compareIds(a.id, b.id));
  const self = founders.find((member) => member.name === config.name && member.name !== '');
  if (self === undefined) {
    throw new StartError(
      `couldn't find local name "${config.name}" in the initial cluster configuration`,
    );
  }
  checkAdvertisedUrls(config, self);
  checkDistinctUrls(founders);
  return {
    memberId: self.id,
    clusterId: clusterIdOf(founders.map((member) => member.id)),
    peers: founders.filter((member) => member.id !== self.id),
    entries: founders.map((member, i) => founderEntry(member, i + 1)),
  };
}

/**
 * A founder that has been here before under the same id but comes without its log would vote twice:
 * asks the others whether they know it as started.
 */
export async function checkNotBootstrapped(birth: Birth, network: PeerNetwork): Promise<void> {
  const request = { method: 'GET', path: '/members' } as const;
  const answers = await Promise.allSettled(
    birth.peers.map((peer) => network.requestUrls(peer.peerUrls, request, ASK_TIMEOUT_MS)),
  );
  for (const answer of answers) {
    const known = answer.status === 'fulfilled' ? membersIn(answer.value) : [];
    const self = known.find((member) => member.id === birth.memberId);
    if (self !== undefined && self.clientUrls.length > 0) {
      throw new StartError(`member ${hexId(birth.memberId)} has already been bootstrapped`);
    }
  }
}

/**
 * Finds the running cluster through the other urls of `initialCluster` and, in its member list, this
 * member (added before by MemberAdd) by its peer urls. All who answer must agree on who it is.
 */
export async function joinCluster(
  config: MemberConfig,
  network: PeerNetwork,
  clock: Clock,
): Promise<Birth> {
  let refusal: unknown;
  for (let attempt = 0; attempt < JOIN_ATTEMPTS; attempt++) {
    if (attempt > 0) await new Promise<void>((resolve) => clock.after(JOIN_PAUSE_MS, resolve));
    const births: Birth[] = [];
    for (const reply of await askOthers(config, network)) {
      try {
        births.push(birthOfJoiner(config, reply.clusterId, reply.members));
      } catch (error) {
        refusal = error; // that member may not have heard of our being added yet
      }
    }
    if (births.length > 0 && births.every(({ memberId }) => memberId === births[0]!.memberId)) {
      return births[0]!;
    }
  }
  if (refusal !== undefined) throw refusal;
  throw new StartError(
    'cannot fetch cluster info from peer urls: could not retrieve cluster information from the given URLs',
  );
}

interface ClusterAnswer {
  clusterId: bigint;
  members: Member[];
}

async function askOthers(config: MemberConfig, network: PeerNetwork): Promise<ClusterAnswer[]> {
  const others = config.initialCluster.filter((initial) => initial.name !== config.name);
  const request = { method: 'GET', path: '/members' } as const;
  const replies = await Promise.allSettled(
    others.map((other) => network.requestUrls(other.peerUrls, request, ASK_TIMEOUT_MS)),
  );
  return replies.flatMap((reply) => {
    if (reply.status === 'rejected' || reply.value.status !== 200) return [];
    const clusterId = parseHexId(reply.value.headers['x-etcd-cluster-id'] ?? '');
    return clusterId === undefined ? [] : [{ clusterId, members: membersIn(reply.value) }];
  });
}

function birthOfJoiner(config: MemberConfig, clusterId: bigint, members: Member[]): Birth {
  const self = members.find((member) => sameUrls(member.peerUrls, config.peerUrls));
  if (self === undefined || members.length !== config.initialCluster.length) {
    throw new StartError(
      'error validating peerURLs: member count is unequal' +
        ` (the cluster has ${members.length} members, --initial-cluster lists ${config.initialCluster.length};` +
        ' run member add first and use the --initial-cluster that it prints)',
    );
  }
  // A member that has started once is not us: we would vote again in its name. Either its data dir is lost,
  // or whom we have asked has not heard yet that it was removed and we were added in its place.
  if (self.clientUrls.length > 0) {
    throw new StartError(`member ${hexId(self.id)} has already been bootstrapped`);
  }
  const peers = members.filter((member) => member.id !== self.id);
  return { memberId: self.id, clusterId, peers, entries: [] };
}

/** The one durable act of being born. The identity comes last: without it the next start begins anew. */
export async function recordBirth(birth: Birth, disk: Disk): Promise<void> {
  if (birth.entries.length > 0) {
    const hardState = { term: 1, vote: 0n, commit: birth.entries.length };
    await disk.log.append({ entries: birth.entries, hardState, sync: true });
  }
  await disk.log.setIdentity({ memberId: birth.memberId, clusterId: birth.clusterId });
}

function founder(initial: InitialMember, config: MemberConfig): Member {
  const peerUrls = [...initial.peerUrls].sort();
  const id = memberIdOf(peerUrls, config.initialClusterToken);
  return { id, name: initial.name, peerUrls, clientUrls: [], isLearner: false };
}

function founderEntry(member: Member, index: number): Entry {
  const data = encodeConfChange(toConfChange(0n, { kind: 'add', member }));
  return { type: EntryType.confChange, term: 1, index, data };
}

function checkAdvertisedUrls(config: MemberConfig, self: Member): void {
  if (sameUrls(self.peerUrls, config.peerUrls)) return;
  const listed = self.peerUrls.map((url) => `${config.name}=${url}`).join(',');
  throw new StartError(
    `--initial-cluster has ${listed} but missing from --initial-advertise-peer-urls=${config.peerUrls.join(',')}`,
  );
}

function checkDistinctUrls(founders: readonly Member[]): void {
  const urls = founders.flatMap((member) => member.peerUrls);
  if (new Set(urls).size === urls.length) return;
  const pairs = founders.flatMap(({ name, peerUrls }) => peerUrls.map((url) => `${name}=${url}`));
  throw new StartError(`initial cluster ${pairs.sort().join(',')} has duplicate url`);
}

function sameUrls(a: readonly string[], b: readonly string[]): boolean {
  return [...a].sort().join(' ') === [...b].sort().join(' ');
}

function membersIn(reply: PeerReply): Member[] {
  try {
    return reply.status === 200 ? membersJson.decode(reply.body) : [];
  } catch {
    return []; // not a member of this kind: as good as no answer
  }
}
