/** A member as a server process runs it: real disk, real peers, client ports. */
import {
  type Logger,
  MIN_CLUSTER_VERSION,
  Member,
  type MemberConfig,
  SERVER_VERSION,
  createServices,
} from '../server/index.js';
import { openDisk } from '../storage/index.js';
import { HttpPeerNetwork, checkListenUrl, realClock, realRandom } from '../transport/index.js';
import { Kvorum } from './kvorum.js';

export interface ServeOptions {
  config: MemberConfig;
  dataDir: string;
  listenPeerUrls: string[];
  listenClientUrls: string[];
  /** Don't wait for the disk: fast, and a power cut may lose acknowledged writes. */
  unsafeNoFsync?: boolean;
  logger: Logger;
}

/**
 * Starts a member and its peer ports; its client ports open when the cluster knows it. Rejects with one
 * clear error (an address in use, a data dir that refuses, contradicting flags) and nothing left open.
 */
export async function serve(options: ServeOptions): Promise<Kvorum> {
  const { config, dataDir, listenPeerUrls, listenClientUrls, logger } = options;
  for (const url of listenClientUrls) await checkListenUrl(url);
  const disk = await openDisk(dataDir, { log: { unsafeNoSync: options.unsafeNoFsync === true } });
  try {
    const network = new HttpPeerNetwork({
      listenUrls: listenPeerUrls,
      dialTimeoutMs: 1000 + config.electionMs,
      serverVersion: SERVER_VERSION,
      minClusterVersion: MIN_CLUSTER_VERSION,
      logger,
    });
    const environment = { clock: realClock, random: realRandom, disk, network, log: logger };
    const member = await Member.start(config, environment);
    return new Kvorum(member, createServices(member), () => disk.close());
  } catch (error) {
    await disk.close();
    throw error;
  }
}

/** Opens the client ports of a member that is ready. */
export async function serveClients(store: Kvorum, options: ServeOptions): Promise<void> {
  const { listenClientUrls, logger } = options;
  for (const url of listenClientUrls) await store.listen(url);
  logger('info', 'ready to serve client requests');
  for (const url of listenClientUrls) {
    logger('info', 'serving client traffic insecurely; this is strongly discouraged!', {
      traffic: 'grpc+http',
      address: hostOf(url),
    });
  }
}

function hostOf(url: string): string {
  return url.replace(/^[a-z]+:\/\//, '');
}
