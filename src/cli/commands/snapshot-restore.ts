/** `snapshot restore <filename>` */
import { hexId, latin1FromUtf8, utf8FromLatin1 } from '../../bytes/index.js';
import { DEFAULT_CONFIG, type MemberConfig } from '../../embed/index.js';
import { restoreFile } from '../../embed/restore.js';
import { badArgs } from '../exit.js';
import type { Flags, ParsedFlags } from '../flag-set.js';
import type { Output } from '../output.js';
import { consoleLine, timestamp } from '../server-log.js';
import { parseInitialCluster, parseUrls } from '../server-urls.js';
import { snapshotRefusal } from './snapshot-refusal.js';

export async function* restore({ flags, positional }: ParsedFlags): AsyncGenerator<Output> {
  if (positional.length !== 1) throw badArgs('snapshot restore requires exactly one argument');
  const path = positional[0]!;
  const bumpRevision = bumpOf(flags);
  refuseWalDir(flags);
  const text = (name: string): string => utf8FromLatin1(flags.string(name));
  const dataDir = text('data-dir') || `${text('name')}.etcd`;
  try {
    const { memberId, clusterId } = await restoreFile(utf8FromLatin1(path), {
      dataDir,
      config: configOf(text),
      bumpRevision,
      skipHashCheck: flags.bool('skip-hash-check'),
      withoutAuth: flags.bool('without-auth'),
    });
    yield log('restored snapshot', {
      path: utf8FromLatin1(path),
      'data-dir': dataDir,
      'member-id': hexId(memberId),
      'cluster-id': hexId(clusterId),
    });
  } catch (error) {
    throw snapshotRefusal('open', path, error);
  }
}

/** Revisions that go back, or forward with the gap open to readers, mislead clients: both or none. */
function bumpOf(flags: Flags): number {
  const bump = flags.uint('bump-revision');
  if (bump > 0n !== flags.bool('mark-compacted')) {
    throw badArgs('--mark-compacted required if --revision-bump > 0');
  }
  return Number(bump);
}

function refuseWalDir(flags: Flags): void {
  if (flags.string('wal-dir') === '') return;
  throw badArgs('--wal-dir is not supported: the raft log is in the data dir');
}

function configOf(text: (flag: string) => string): MemberConfig {
  return {
    ...DEFAULT_CONFIG,
    name: text('name'),
    peerUrls: parseUrls(text('initial-advertise-peer-urls')),
    initialCluster: parseInitialCluster(text('initial-cluster')),
    initialClusterToken: text('initial-cluster-token'),
  };
}

function log(message: string, fields: Record<string, unknown>): Output {
  const now = timestamp(performance.timeOrigin + performance.now());
  return {
    kind: 'stderr',
    text: latin1FromUtf8(consoleLine({ level: 'info', message, fields }, now)),
  };
}
