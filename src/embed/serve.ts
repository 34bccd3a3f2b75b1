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
import {
  HttpPeerNetwork,
  checkListenUrl,
  realClock,
  realRandom,
  type TlsSettings,
} from '../transport/index.js';
import { Kvorum, type PortOptions } from './kvorum.js';
import { type PortsTls, checkTls, openTls, readyTls } from './server-tls.js';

export interface ServeOptions {
  config: MemberConfig;
  dataDir: string;
  listenPeerUrls: string[];
  listenClientUrls: string[];
  /** For https URLs. */
  clientTls?: TlsSettings;
  peerTls?: TlsSettings;
  /** Origins that browsers may call from; all by default. */
  corsOrigins?: readonly string[];
  portOptions?: PortOptions;
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
  for (const ports of [clientPorts(options), peerPorts(options)]) checkTls(ports);
  for (const url of listenClientUrls) await checkListenUrl(url);
  const disk = await openDisk(dataDir, { log: { unsafeNoSync: options.unsafeNoFsync === true } });
  try {
    const tls = readyTls(peerPorts(options));
    const network = new HttpPeerNetwork({
      ...(tls && { tls: openTls(tls, 'peer', logger) }),
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
  const tls = readyTls(clientPorts(options));
  const { corsOrigins } = options;
  for (const url of listenClientUrls) {
    await store.listen(url, {
      ...options.portOptions,
      ...(tls && { tls }),
      ...(corsOrigins && { corsOrigins }),
    });
  }
  logger('info', 'ready to serve client requests');
  for (const url of listenClientUrls) {
    const how = /^(https|unixs):/.test(url)
      ? 'serving client traffic securely'
      : 'serving client traffic insecurely; this is strongly discouraged!';
    logger('info', how, { traffic: 'grpc+http', address: hostOf(url) });
  }
}

function clientPorts({
  config,
  dataDir,
  listenClientUrls,
  clientTls,
  logger,
}: ServeOptions): PortsTls {
  return {
    endpoint: 'client',
    settings: clientTls ?? {},
    listenUrls: listenClientUrls,
    advertisedUrls: config.clientUrls,
    dataDir,
    logger,
  };
}

function peerPorts({ config, dataDir, listenPeerUrls, peerTls, logger }: ServeOptions): PortsTls {
  return {
    endpoint: 'peer',
    settings: peerTls ?? {},
    listenUrls: listenPeerUrls,
    advertisedUrls: config.peerUrls,
    dataDir,
    logger,
  };
}

function hostOf(url: string): string {
  return url.replace(/^[a-z]+:\/\//, '');
}
