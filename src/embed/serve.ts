/** A member as a server process runs it: real disk, real peers, client ports. */
import {
  type Logger,
  METRICS_PATHS,
  MIN_CLUSTER_VERSION,
  Member,
  type MemberConfig,
  MemberMetrics,
  SERVER_VERSION,
  createServices,
  serveHttp,
} from '../server/index.js';
import { openDisk, type WrittenBatch } from '../storage/index.js';
import {
  HttpPeerNetwork,
  checkListenUrl,
  exposeProcess,
  listenProbePort,
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
  /** Where to answer probes and metrics only. */
  listenMetricsUrls?: string[];
  /** `extensive` measures the latency of gRPC calls, too. */
  metrics?: 'basic' | 'extensive';
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
  for (const url of [...listenClientUrls, ...(options.listenMetricsUrls ?? [])])
    await checkListenUrl(url);
  const metrics = new MemberMetrics(options.metrics === 'extensive');
  exposeProcess(metrics.registry);
  const disk = await openDisk(dataDir, {
    log: {
      unsafeNoSync: options.unsafeNoFsync === true,
      written: (batch) => countBatch(metrics, logger, batch),
    },
    backend: { committed: (tookMs) => metrics.commitSeconds.observe(tookMs / 1000) },
  });
  try {
    const tls = readyTls(peerPorts(options));
    const network = new HttpPeerNetwork({
      ...(tls && { tls: openTls(tls, 'peer', logger) }),
      listenUrls: listenPeerUrls,
      dialTimeoutMs: 1000 + config.electionMs,
      serverVersion: SERVER_VERSION,
      minClusterVersion: MIN_CLUSTER_VERSION,
      logger,
      metrics,
    });
    const environment = {
      clock: realClock,
      random: realRandom,
      disk,
      network,
      log: logger,
      metrics,
    };
    const member = await Member.start(config, environment);
    const store = new Kvorum(member, createServices(member), () => disk.close());
    await serveProbes(store, options);
    return store;
  } catch (error) {
    await disk.close();
    throw error;
  }
}

/** etcd's limit: longer than this a disk is worth a line. */
const SLOW_FSYNC_MS = 1000;

function countBatch(metrics: MemberMetrics, logger: Logger, batch: WrittenBatch): void {
  const { tookMs, bytes, synced } = batch;
  metrics.walBytes.value += bytes;
  metrics.walWriteSeconds.observe(tookMs / 1000);
  if (!synced) return;
  metrics.walFsyncSeconds.observe(tookMs / 1000);
  if (tookMs > SLOW_FSYNC_MS) {
    const fields = { took: `${tookMs.toFixed(3)}ms`, 'expected-duration': '1s' };
    logger('warn', 'slow fdatasync', fields);
  }
}

/** Probes are answered from the start on: a member that is not ready says so. */
async function serveProbes(store: Kvorum, options: ServeOptions): Promise<void> {
  const tls = readyTls(probePorts(options));
  for (const url of options.listenMetricsUrls ?? []) {
    const port = await listenProbePort({
      url,
      http: (request) =>
        METRICS_PATHS.test(request.path)
          ? serveHttp(store.member, request)
          : { status: 404, body: '404 page not found\n' },
      ...(tls && { tls: openTls(tls, 'client', options.logger) }),
      logger: options.logger,
    });
    store.closeWith(port);
    options.logger('info', 'serving metrics', { address: port.url });
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

function probePorts(options: ServeOptions): PortsTls {
  return { ...clientPorts(options), listenUrls: options.listenMetricsUrls ?? [] };
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
