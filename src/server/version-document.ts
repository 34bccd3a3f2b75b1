/** What `/version` answers on both ports; clients split the versions at the dots. */
import type { Member } from './member.js';
import { SERVER_VERSION } from './versions.js';

export function versionDocument(member: Member): string {
  return JSON.stringify({
    etcdserver: SERVER_VERSION,
    etcdcluster: member.membership.clusterVersion ?? 'not_decided',
    storage: member.storageVersion,
  });
}
