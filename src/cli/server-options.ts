/** What a server is told, as typed and checked options. */
import type { ServeOptions } from '../embed/serve.js';
import type { MemberConfig } from '../server/index.js';
import { latin1FromUtf8 } from '../bytes/index.js';
import { parseDuration } from './go-text/duration.js';
import { ParseError } from './go-text/numbers.js';
import { serverFlags, type ServerFlag } from './server-flag-table.js';
import type { ServerFlagValues } from './server-flags.js';
import { parseLogOutputs } from './log-outputs.js';
import { parseFeatureGates } from './feature-gates.js';
import { OptionsError } from './options-error.js';
import type { LogFormat, LogLine, PrintedLevel } from './server-log.js';
import {
  UrlError,
  checkAdvertisedUrls,
  checkListenUrls,
  parseInitialCluster,
  quoted,
} from './server-urls.js';
import { clientTls, peerTls } from './server-tls-flags.js';

export interface ServerOptions {
  /** All that a member reads of the flags. */
  config: Omit<MemberConfig, 'valueCacheBytes'>;
  dataDir: string;
  listenClientUrls: string[];
  listenPeerUrls: string[];
  clientTls: NonNullable<ServeOptions['clientTls']>;
  peerTls: NonNullable<ServeOptions['peerTls']>;
  corsOrigins: string[];
  listenMetricsUrls: string[];
  metrics: 'basic' | 'extensive';
  /** How the client ports serve. */
  portOptions: NonNullable<ServeOptions['portOptions']>;
  /** Let a fresh member's first election come sooner. */
  initialElectionTickAdvance: boolean;
  /** Do not wait for the disk. */
  unsafeNoFsync: boolean;
  logLevel: PrintedLevel;
  logFormat: LogFormat;
  logOutputs: string[];
}

/** The options, and lines about flags that do nothing here. Throws {@link OptionsError}. */
export function serverOptions(values: ServerFlagValues): {
  options: ServerOptions;
  lines: LogLine[];
} {
  const lines = serverFlags.flatMap((flag) => checkUse(flag, values));
  const options = buildOptions(values);
  for (const gate of parseFeatureGates(values.text('feature-gates')).withoutEffect) {
    lines.push(warning('feature gate has no effect', { gate }));
  }
  if (values.text('logger') !== 'zap') {
    throw new OptionsError(`unknown logger option ${quoted(values.text('logger'))}`);
  }
  checkUrls(options);
  checkTimes(options);
  checkLimits(options);
  if (values.isSet('listen-client-urls') && !values.isSet('advertise-client-urls')) {
    throw new OptionsError(ADVERTISE_REQUIRED);
  }
  if (options.unsafeNoFsync) lines.push(warning('writes are not synced to disk', {}));
  return { options, lines };
}

/** The one refusal for which etcd prints a second line. */
export const ADVERTISE_REQUIRED =
  '--advertise-client-urls is required when --listen-client-urls is set explicitly';

function checkUse(flag: ServerFlag, values: ServerFlagValues): LogLine[] {
  const lines = checkSpelling(flag, values);
  if (!values.isChanged(flag)) return lines;
  if (flag.use === 'refused') {
    throw new OptionsError(`--${flag.name} is not supported by this server yet`);
  }
  if (flag.use === 'unheeded') lines.push(warning('flag has no effect', { flag: flag.name }));
  return lines;
}

function checkSpelling(flag: ServerFlag, values: ServerFlagValues): LogLine[] {
  const spelled = values.spellings(flag.name);
  const former = spelled.find((name) => name !== flag.name);
  if (former === undefined) return [];
  if (spelled.includes(flag.name)) {
    throw new OptionsError(
      `cannot set --${former} and --${flag.name} at the same time, please use --${flag.name} only`,
    );
  }
  return [warning(`--${former} is deprecated. Use --${flag.name} instead.`, {})];
}

function warning(message: string, fields: Record<string, unknown>): LogLine {
  return { level: 'warn', message, fields };
}

function buildOptions(values: ServerFlagValues): ServerOptions {
  const name = values.text('name');
  return {
    config: memberConfig(values),
    dataDir: values.isSet('data-dir') ? values.text('data-dir') : `${name}.etcd`,
    listenClientUrls: values.urls('listen-client-urls'),
    listenPeerUrls: values.urls('listen-peer-urls'),
    clientTls: clientTls(values),
    peerTls: peerTls(values),
    corsOrigins: values.text('cors').split(','),
    listenMetricsUrls: values.urls('listen-metrics-urls'),
    metrics: values.text('metrics') as 'basic' | 'extensive',
    portOptions: portOptions(values),
    initialElectionTickAdvance: values.bool('initial-election-tick-advance'),
    unsafeNoFsync: values.bool('unsafe-no-fsync'),
    logLevel: logLevel(values.text('log-level')),
    logFormat: logFormat(values.text('log-format')),
    logOutputs: parseLogOutputs(values.text('log-outputs')),
  };
}

function memberConfig(values: ServerFlagValues): ServerOptions['config'] {
  const gates = parseFeatureGates(values.text('feature-gates'));
  return {
    name: values.text('name'),
    peerUrls: values.urls('initial-advertise-peer-urls'),
    clientUrls: values.urls('advertise-client-urls'),
    initialCluster: initialCluster(values),
    initialClusterState: values.text('initial-cluster-state') as 'new' | 'existing',
    initialClusterToken: values.text('initial-cluster-token'),
    heartbeatMs: values.number('heartbeat-interval'),
    electionMs: values.number('election-timeout'),
    preVote: values.bool('pre-vote'),
    snapshotCount: values.number('snapshot-count') || 10_000,
    snapshotCatchupEntries: values.number('snapshot-catchup-entries') || 5_000,
    quotaBackendBytes: values.number('quota-backend-bytes'),
    maxRequestBytes: values.number('max-request-bytes'),
    maxTxnOps: values.number('max-txn-ops'),
    maxLearners: values.number('max-learners'),
    strictReconfigCheck: values.bool('strict-reconfig-check'),
    backendBatchIntervalMs: values.number('backend-batch-interval') || 100,
    backendBatchLimit: values.number('backend-batch-limit') || 10_000,
    watchProgressNotifyMs: values.number('watch-progress-notify-interval'),
    autoCompaction: autoCompaction(values),
    initialCorruptCheck: values.bool('initial-corrupt-check') || gates.initialCorruptCheck,
    corruptCheckMs: values.number('corrupt-check-time'),
    compactHashCheckMs:
      values.bool('compact-hash-check-enabled') || gates.compactHashCheck
        ? values.number('compact-hash-check-time')
        : 0,
    warningApplyMs: values.number('warning-apply-duration'),
  };
}

const ANY_NUMBER_OF_STREAMS = 2 ** 32 - 1;

/** A zero is what grpc-go makes of it. */
function portOptions(values: ServerFlagValues): ServerOptions['portOptions'] {
  const streams = values.number('max-concurrent-streams') || ANY_NUMBER_OF_STREAMS;
  return {
    ...(streams < ANY_NUMBER_OF_STREAMS && { maxConcurrentStreams: streams }),
    keepAliveMinTimeMs: values.number('grpc-keepalive-min-time') || 300_000,
    keepAliveIntervalMs: values.number('grpc-keepalive-interval') || 7_200_000,
    keepAliveTimeoutMs: values.number('grpc-keepalive-timeout') || 20_000,
    transport: values.text('transport') as 'http2' | 'grpc-js',
  };
}

const HOUR_MS = 60 * 60 * 1000;

/** A bare number is hours in periodic mode. */
function autoCompaction(values: ServerFlagValues): MemberConfig['autoCompaction'] {
  const mode = values.text('auto-compaction-mode') || 'periodic';
  const retention = values.text('auto-compaction-retention');
  if (mode !== 'periodic' && mode !== 'revision') {
    throw new OptionsError(`unknown auto-compaction-mode ${quoted(mode)}`);
  }
  if (/^[+]?\d+$/.test(retention)) {
    const count = Number(retention);
    if (count === 0) return undefined;
    return mode === 'periodic' ? { mode, periodMs: count * HOUR_MS } : { mode, revisions: count };
  }
  if (mode === 'revision') throw badRetention(`invalid syntax: ${quoted(retention)}`);
  return periodic(retention);
}

function periodic(retention: string): MemberConfig['autoCompaction'] {
  try {
    const periodMs = Number(parseDuration(latin1FromUtf8(retention))) / 1e6;
    return periodMs > 0 ? { mode: 'periodic', periodMs } : undefined;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw badRetention(`time: invalid duration ${quoted(retention)}`);
  }
}

function badRetention(why: string): OptionsError {
  return new OptionsError(`error parsing CompactionRetention: ${why}`);
}

/** Without --initial-cluster a member of another name founds a cluster of itself. */
function initialCluster(values: ServerFlagValues): MemberConfig['initialCluster'] {
  const name = values.text('name');
  if (!values.isSet('initial-cluster') && name !== 'default') {
    return [{ name, peerUrls: values.urls('initial-advertise-peer-urls') }];
  }
  try {
    return parseInitialCluster(values.text('initial-cluster'));
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    throw new OptionsError(`error setting up initial cluster: ${error.message}`, { cause: error });
  }
}

const levels: readonly string[] = ['debug', 'info', 'warn', 'error', 'dpanic', 'panic', 'fatal'];

function logLevel(text: string): PrintedLevel {
  const level = text.toLowerCase() || 'info';
  if (!levels.includes(level)) throw new OptionsError(`unrecognized level: ${quoted(text)}`);
  return ['dpanic', 'panic'].includes(level) ? 'fatal' : (level as PrintedLevel);
}

function logFormat(text: string): LogFormat {
  if (text !== 'json' && text !== 'console') {
    throw new OptionsError(`unknown log format: ${text}, supported values json, console`);
  }
  return text;
}

function checkUrls({ config, ...options }: ServerOptions): void {
  try {
    checkListenUrls(options.listenPeerUrls);
    checkListenUrls(options.listenClientUrls);
    checkListenUrls(options.listenMetricsUrls);
    checkAdvertisedUrls('initial-advertise-peer-urls', config.peerUrls);
    checkAdvertisedUrls('advertise-client-urls', config.clientUrls);
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    throw new OptionsError(error.message, { cause: error });
  }
}

const LONGEST_ELECTION_MS = 50_000;

function checkTimes({ config: { heartbeatMs, electionMs, watchProgressNotifyMs } }: ServerOptions) {
  if (heartbeatMs === 0) throw new OptionsError('--heartbeat-interval must be >0 (set to 0ms)');
  if (electionMs === 0) throw new OptionsError('--election-timeout must be >0 (set to 0ms)');
  if (5 * heartbeatMs > electionMs) {
    throw new OptionsError(
      `--election-timeout[${electionMs}ms] should be at least as 5 times as` +
        ` --heartbeat-interval[${heartbeatMs}ms]`,
    );
  }
  if (electionMs > LONGEST_ELECTION_MS) {
    throw new OptionsError(
      `--election-timeout[${electionMs}ms] is too long,` +
        ` and should be set less than ${LONGEST_ELECTION_MS}ms`,
    );
  }
  if (watchProgressNotifyMs <= 0) {
    throw new OptionsError('--watch-progress-notify-interval must be >0');
  }
}

function checkLimits({ config }: ServerOptions): void {
  const least: [flag: string, value: number][] = [
    ['max-learners', config.maxLearners],
    ['max-txn-ops', config.maxTxnOps],
    ['max-request-bytes', config.maxRequestBytes],
    ['backend-batch-limit', config.backendBatchLimit],
    ['backend-batch-interval', config.backendBatchIntervalMs],
  ];
  for (const [flag, value] of least) {
    if (value <= 0) throw new OptionsError(`--${flag} must be >0 (set to ${value})`);
  }
}
