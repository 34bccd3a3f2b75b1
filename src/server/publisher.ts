/**
 * Tells the cluster this member's name and client urls, as an entry, until it has seen it applied: only
 * then is the member "started" in everybody's eyes, and ready to serve.
 */
import type { InternalOp } from '../api/index.js';
import { hexId } from '../bytes/index.js';
import type { Clock, Logger } from './environment.js';
import { compareVersions } from './versions.js';

export interface PublisherOptions {
  memberId: bigint;
  clusterId: bigint;
  name: string;
  clientUrls: string[];
  timeoutMs: number;
  clock: Clock;
  logger: Logger;
  /** Of the cluster; undefined until it is known. */
  clusterVersion: () => string | undefined;
  propose: (op: InternalOp) => Promise<unknown>;
  isStopped: () => boolean;
}

/** How long to wait before trying again after a refusal that came at once. */
const RETRY_MS = 100;

/** Resolves when the attributes are applied here, or when the member has stopped. */
export async function publish(options: PublisherOptions): Promise<void> {
  const { logger, clock } = options;
  while (!options.isStopped()) {
    const version = options.clusterVersion();
    if (version === undefined) {
      await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve));
      continue;
    }
    try {
      await options.propose(attributes(options, version));
      logger('info', 'published local member to cluster through raft', fieldsOf(options));
      return;
    } catch (error) {
      if (options.isStopped()) return;
      logger('warn', 'failed to publish local member to cluster through raft', {
        ...fieldsOf(options),
        error: error instanceof Error ? error.message : String(error),
      });
      await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve));
    }
  }
}

/** Members of 3.4 end, and cannot start any more, when the log holds the form that came after them. */
function attributes({ memberId, name, clientUrls }: PublisherOptions, version: string): InternalOp {
  if (compareVersions(version, '3.5.0') >= 0) {
    return { kind: 'clusterMemberAttrSet', memberId, name, clientUrls };
  }
  const value = JSON.stringify({ name, clientURLs: clientUrls });
  return { kind: 'v2', method: 'PUT', path: `/0/members/${hexId(memberId)}/attributes`, value };
}

function fieldsOf({ memberId, clusterId, name, clientUrls, timeoutMs }: PublisherOptions) {
  return {
    'local-member-id': hexId(memberId),
    'local-member-attributes': `{Name:${name} ClientURLs:[${clientUrls.join(' ')}]}`,
    'cluster-id': hexId(clusterId),
    'publish-timeout': `${timeoutMs / 1000}s`,
  };
}
