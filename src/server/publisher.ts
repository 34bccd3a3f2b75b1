/**
 * Tells the cluster this member's name and client urls, as an entry, until it has seen it applied: only
 * then is the member "started" in everybody's eyes, and ready to serve.
 */
import type { InternalOp } from '../api/index.js';
import { hexId } from '../bytes/index.js';
import type { Clock, Logger } from './environment.js';

export interface PublisherOptions {
  memberId: bigint;
  clusterId: bigint;
  name: string;
  clientUrls: string[];
  timeoutMs: number;
  clock: Clock;
  logger: Logger;
  propose: (op: InternalOp) => Promise<unknown>;
  isStopped: () => boolean;
}

/** How long to wait before trying again after a refusal that came at once. */
const RETRY_MS = 100;

/** Resolves when the attributes are applied here, or when the member has stopped. */
export async function publish(options: PublisherOptions): Promise<void> {
  const { memberId, name, clientUrls, logger, clock } = options;
  const op: InternalOp = { kind: 'clusterMemberAttrSet', memberId, name, clientUrls };
  while (!options.isStopped()) {
    try {
      await options.propose(op);
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

function fieldsOf({ memberId, clusterId, name, clientUrls, timeoutMs }: PublisherOptions) {
  return {
    'local-member-id': hexId(memberId),
    'local-member-attributes': `{Name:${name} ClientURLs:[${clientUrls.join(' ')}]}`,
    'cluster-id': hexId(clusterId),
    'publish-timeout': `${timeoutMs / 1000}s`,
  };
}
