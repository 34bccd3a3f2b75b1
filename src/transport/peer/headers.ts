/**
 * The headers by which members know each other, and the version test made on them.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { hexId } from '../../bytes/index.js';
import type { PeerIdentity } from '../../server/peer-network.js';

/** What a member says of itself; both are `major.minor.patch`. */
export interface PeerVersions {
  /** The version whose behaviour this member has. */
  readonly serverVersion: string;
  /** The oldest cluster it can be in. */
  readonly minClusterVersion: string;
}

/** Tells Kvorum's members from real etcd, which ignores it. */
const KVORUM_HEADER = 'X-Kvorum-Peer';

/** Goes with every request to a peer. Versions must be well-formed: a real etcd dies of others. */
export function identityHeaders(
  identity: PeerIdentity,
  versions: PeerVersions,
): Record<string, string> {
  const headers: Record<string, string> = {
    'X-Server-From': hexId(identity.memberId),
    'X-Server-Version': versions.serverVersion,
    'X-Min-Cluster-Version': versions.minClusterVersion,
    'X-PeerURLs': identity.peerUrls.join(','),
    [KVORUM_HEADER]: '1',
  };
  // A joiner asks around before it knows its cluster.
  if (identity.clusterId !== 0n) headers['X-Etcd-Cluster-ID'] = hexId(identity.clusterId);
  return headers;
}

/** Does the request come from another server than Kvorum? */
export function isForeign(headers: IncomingHttpHeaders): boolean {
  return headers[KVORUM_HEADER.toLowerCase()] === undefined;
}

/** The peer URLs that a sender names; none when one of them is no URL. */
export function sendersUrls(headers: IncomingHttpHeaders): string[] {
  const urls = textHeader(headers, 'x-peerurls')?.split(',') ?? [];
  return urls.every(isHttpUrl) ? urls : [];
}

function isHttpUrl(url: string): boolean {
  return /^https?:\/\//.test(url) && URL.canParse(url);
}

export function textHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What a sender is that names no version. */
const UNNAMED_VERSION = '2.0.0';
const OLDEST_SENDER = versionNumber('3.0.0')!;

/** May a sender with these headers talk to a server of version `own`? */
export function isCompatibleSender(headers: IncomingHttpHeaders, own: string): boolean {
  const server = versionNumber(textHeader(headers, 'x-server-version') ?? UNNAMED_VERSION);
  const minCluster = versionNumber(textHeader(headers, 'x-min-cluster-version') ?? UNNAMED_VERSION);
  if (server === undefined || minCluster === undefined) return false;
  return server >= OLDEST_SENDER && minCluster <= versionNumber(own)!;
}

/** Does a stream's answer come from a server that speaks these streams? */
export function isCompatibleServer(headers: IncomingHttpHeaders): boolean {
  const server = versionNumber(textHeader(headers, 'x-server-version') ?? UNNAMED_VERSION);
  return server !== undefined && server >= OLDEST_SENDER;
}

/** Major and minor as one number that compares; the patch does not count. Undefined if malformed. */
function versionNumber(version: string): number | undefined {
  const match = /^(\d{1,6})\.(\d{1,6})\.\d+(?:[-+].*)?$/.exec(version);
  return match ? Number(match[1]) * 1_000_000 + Number(match[2]) : undefined;
}
