/** kvorum: the server's entry point. Reads the command line, runs one member, ends by signal or fate. */
import { DEFAULT_CONFIG, type Kvorum } from '../embed/index.js';
import { type ServeOptions, serve, serveClients } from '../embed/serve.js';
import { DEFAULT_QUOTA_BYTES, SERVER_VERSION, type Logger } from '../server/index.js';
import { LogOutputs } from './log-outputs.js';
import { packageVersion } from './package-version.js';
import { readServerCommand } from './server-command-line.js';
import {
  type LogLine,
  type PrintLine,
  createLogger,
  createPrinter,
  jsonLine,
  timestamp,
} from './server-log.js';
import type { ServerOptions } from './server-options.js';

/** How long the last lines may take to get out. */
const FLUSH_MS = 1000;

const wallMs = () => performance.timeOrigin + performance.now();

function droppedLine(count: number): string {
  const message = 'log lines were dropped: their reader is too slow';
  return jsonLine({ level: 'warn', message, fields: { count } }, timestamp(wallMs()));
}

/** Standard error until the flags have said where else. */
let outputs = LogOutputs.open(['default'], droppedLine);

/** Runs the server. Ends the process itself: by exit code, or by the signal that stopped it. */
export async function kvorum(args: string[]): Promise<void> {
  const command = readServerCommand(args, process.env, versions());
  if (command.kind === 'exit') {
    process.stdout.write(command.stdout);
    process.stderr.write(command.stderr);
    const print = printer({ logLevel: 'info', logFormat: 'json' });
    for (const line of command.lines) print(line);
    return exit(command.code);
  }
  const { options } = command;
  try {
    outputs = LogOutputs.open(options.logOutputs, droppedLine);
  } catch (error) {
    return failToStart(printer(options), error);
  }
  const print = printer(options);
  for (const line of command.lines) print(line);
  await run(options, print);
}

function versions() {
  const { platform, arch } = process;
  const node = process.versions.node;
  return { etcd: SERVER_VERSION, kvorum: packageVersion(), node, platform, arch };
}

function printer({
  logLevel,
  logFormat,
}: Pick<ServerOptions, 'logLevel' | 'logFormat'>): PrintLine {
  return createPrinter({ level: logLevel, format: logFormat, wallMs, sink: outputs });
}

async function run(options: ServerOptions, print: PrintLine): Promise<void> {
  const logger = createLogger(print);
  const serveOptions = serveOptionsOf(options, logger);
  logger('info', 'starting an etcd server', startFields(options));
  let store: Kvorum;
  try {
    store = await serve(serveOptions);
  } catch (error) {
    return failToStart(print, error);
  }
  stopOnSignals(store, logger);
  endWithMember(store, print);
  await store.member.ready;
  if (store.member.isStopped) return;
  try {
    await serveClients(store, serveOptions);
  } catch (error) {
    await store.close();
    failToStart(print, error);
  }
}

function serveOptionsOf(options: ServerOptions, logger: Logger): ServeOptions {
  return { ...options, config: { ...DEFAULT_CONFIG, ...options.config }, logger };
}

function startFields({ config, dataDir, listenPeerUrls, listenClientUrls }: ServerOptions) {
  return {
    'etcd-version': SERVER_VERSION,
    'kvorum-version': packageVersion(),
    'node-version': process.version,
    name: config.name,
    'data-dir': dataDir,
    'heartbeat-interval': `${config.heartbeatMs}ms`,
    'election-timeout': `${config.electionMs}ms`,
    'snapshot-count': config.snapshotCount,
    'initial-advertise-peer-urls': config.peerUrls,
    'listen-peer-urls': listenPeerUrls,
    'advertise-client-urls': config.clientUrls,
    'listen-client-urls': listenClientUrls,
    'initial-cluster': config.initialCluster
      .flatMap(({ name, peerUrls }) => peerUrls.map((url) => `${name}=${url}`))
      .join(','),
    'initial-cluster-state': config.initialClusterState,
    'initial-cluster-token': config.initialClusterToken,
    'quota-backend-bytes': config.quotaBackendBytes || DEFAULT_QUOTA_BYTES,
    'max-request-bytes': config.maxRequestBytes,
    'pre-vote': config.preVote,
  };
}

/** One line that says why, as etcd's last words. */
function failToStart(print: PrintLine, error: unknown): void {
  const line: LogLine = {
    level: 'fatal',
    message: 'discovery failed',
    fields: { error: messageOf(error) },
  };
  print(line);
  exit(1);
}

/**
 * The first signal stops cleanly and then ends the process by that same signal, so that the shell sees
 * it; a second one ends at once.
 */
function stopOnSignals(store: Kvorum, logger: Logger): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      for (const other of ['SIGINT', 'SIGTERM'] as const) {
        process.removeAllListeners(other);
        process.once(other, () => endBy(other));
      }
      const name = signal === 'SIGINT' ? 'interrupt' : 'terminated';
      logger('info', 'received signal; shutting down', { signal: name });
      logger('info', 'closing etcd server', { name: store.member.config.name });
      store.close().then(
        () => {
          logger('info', 'closed etcd server', { name: store.member.config.name });
          endBy(signal);
        },
        (error: unknown) => {
          logger('error', 'failed to close cleanly', { error: messageOf(error) });
          exit(1);
        },
      );
    });
  }
}

/** The default action of a signal: what the shell reports as 130 or 143. PID 1 has none, and exits 0. */
function endBy(signal: 'SIGINT' | 'SIGTERM'): void {
  void outputs.flush(FLUSH_MS).then(() => {
    process.removeAllListeners(signal);
    if (process.pid === 1) exit(0);
    else process.kill(process.pid, signal);
  });
}

/** A member that ends by itself takes the process along. */
function endWithMember(store: Kvorum, print: PrintLine): void {
  void store.member.ended.then(async (reason) => {
    if (reason === 'removed') {
      const error = 'the member has been permanently removed from the cluster';
      print({ level: 'warn', message: 'server error', fields: { error } });
      print({
        level: 'warn',
        message: 'data-dir used by this member must be removed',
        fields: {},
      });
    } else {
      print({ level: 'fatal', message: 'server error', fields: { error: reason.message } });
    }
    await store.close().catch(() => {}); // its disk may be what has failed
    exit(reason === 'removed' ? 0 : 1);
  });
}

function exit(code: number): void {
  void outputs.flush(FLUSH_MS).then((flushed) => {
    // A write that hangs on a reader which has stopped would hold back a clean exit for ever.
    if (flushed) process.exit(code);
    else process.kill(process.pid, 'SIGKILL');
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
