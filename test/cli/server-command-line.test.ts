/** Whole command lines, against what etcd answered to them where it was recorded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readServerCommand } from '../../src/cli/server-command-line.js';
import { serverFlags } from '../../src/cli/server-flag-table.js';
import type { LogLine } from '../../src/cli/server-log.js';

const versions = {
  etcd: '3.6.0',
  kvorum: '0.1.0',
  node: '20.20.2',
  platform: 'linux',
  arch: 'x64',
};

/** Arguments without blanks in them. */
function words(text: string): string[] {
  return text.split(' ');
}

const urls = [
  ...words('--listen-client-urls http://127.0.0.1:24790'),
  ...words('--advertise-client-urls http://127.0.0.1:24790'),
  ...words('--listen-peer-urls http://127.0.0.1:24800'),
  ...words('--initial-advertise-peer-urls http://127.0.0.1:24800'),
  ...words('--initial-cluster default=http://127.0.0.1:24800'),
];

function command(args: string[], environment: Record<string, string> = {}) {
  return readServerCommand(args, environment, versions);
}

function started(args: string[], environment: Record<string, string> = {}) {
  const read = command(args, environment);
  assert.equal(read.kind, 'start', JSON.stringify(read));
  return read as Extract<typeof read, { kind: 'start' }>;
}

function exited(args: string[], environment: Record<string, string> = {}) {
  const read = command(args, environment);
  assert.equal(read.kind, 'exit', args.join(' '));
  return read as Extract<typeof read, { kind: 'exit' }>;
}

/** The refusal of a start: exit 1 and, last in the log, the reason. */
function refusalOf(args: string[]): unknown {
  const { code, stdout, stderr, lines } = exited(args);
  assert.deepEqual([code, stdout, stderr], [1, '', '']);
  const failed = lines.find((line) => line.message === 'failed to verify flags');
  return failed?.fields['error'];
}

function warningsOf(args: string[]): LogLine[] {
  return started(args).lines;
}

test('without flags: a member of its own on the default ports', () => {
  const { options, lines } = started([]);
  assert.deepEqual(lines, []);
  assert.deepEqual(options, {
    config: {
      name: 'default',
      peerUrls: ['http://localhost:2380'],
      clientUrls: ['http://localhost:2379'],
      initialCluster: [{ name: 'default', peerUrls: ['http://localhost:2380'] }],
      initialClusterState: 'new',
      initialClusterToken: 'etcd-cluster',
      heartbeatMs: 100,
      electionMs: 1000,
      preVote: true,
      snapshotCount: 10_000,
      snapshotCatchupEntries: 5_000,
      quotaBackendBytes: 0,
      maxRequestBytes: 1_572_864,
      maxTxnOps: 128,
      maxLearners: 1,
      strictReconfigCheck: true,
      backendBatchIntervalMs: 100,
      backendBatchLimit: 10_000,
      watchProgressNotifyMs: 600_000,
      autoCompaction: undefined,
      initialCorruptCheck: false,
      corruptCheckMs: 0,
      compactHashCheckMs: 0,
      warningApplyMs: 100,
    },
    dataDir: 'default.etcd',
    listenClientUrls: ['http://localhost:2379'],
    listenPeerUrls: ['http://localhost:2380'],
    clientTls: { minVersion: 'TLSv1.2', selfSignedValidityYears: 1 },
    peerTls: { minVersion: 'TLSv1.2', selfSignedValidityYears: 1 },
    corsOrigins: ['*'],
    listenMetricsUrls: [],
    metrics: 'basic',
    portOptions: {
      keepAliveMinTimeMs: 5_000,
      keepAliveIntervalMs: 7_200_000,
      keepAliveTimeoutMs: 20_000,
      transport: 'http2',
    },
    initialElectionTickAdvance: true,
    unsafeNoFsync: false,
    logLevel: 'info',
    logFormat: 'json',
    logOutputs: ['default'],
  });
});

const bothPorts = {
  selfSignedValidityYears: 3,
  cipherSuites: ['A', 'B'],
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.3',
} as const;

test('every flag that is honoured arrives', () => {
  const { options } = started([
    ...urls,
    ...words('--name m1 --data-dir /tmp/d --initial-cluster-state existing'),
    ...words('--initial-cluster m1=http://127.0.0.1:24800,m2=http://127.0.0.1:24801'),
    ...words('--initial-cluster-token t --heartbeat-interval 50 --election-timeout 500'),
    ...words('--pre-vote=false --snapshot-count 7 --snapshot-catchup-entries 8'),
    ...words('--quota-backend-bytes 9 --max-request-bytes 10 --max-txn-ops 11'),
    ...words('--max-learners 2 --strict-reconfig-check=false'),
    ...words('--backend-batch-interval 12ms --backend-batch-limit 13'),
    ...words('--watch-progress-notify-interval 14s --initial-election-tick-advance=false'),
    ...words('--max-concurrent-streams 15 --grpc-keepalive-min-time 16s --transport grpc-js'),
    ...words('--grpc-keepalive-interval 17s --grpc-keepalive-timeout 18s'),
    ...words('--unsafe-no-fsync --log-level debug --log-format console --logger zap'),
    ...words('--log-outputs stderr,/tmp/x.log'),
    ...words('--cert-file c --key-file k --client-cert-file cc --client-key-file ck'),
    ...words('--trusted-ca-file ca --client-cert-auth --client-crl-file crl'),
    ...words('--client-cert-allowed-hostname h1,h2 --auto-tls --self-signed-cert-validity 3'),
    ...words('--peer-cert-file pc --peer-key-file pk --peer-client-cert-file pcc'),
    ...words('--peer-client-key-file pck --peer-trusted-ca-file pca --peer-client-cert-auth'),
    ...words('--peer-crl-file pcrl --peer-cert-allowed-cn n1,n2 --peer-auto-tls'),
    ...words('--peer-skip-client-san-verification --cipher-suites A,B --cors http://a,http://b'),
    ...words('--tls-min-version TLS1.2 --tls-max-version TLS1.3'),
    ...words('--listen-metrics-urls http://127.0.0.1:24791 --metrics extensive'),
    ...words('--warning-apply-duration 15ms'),
    ...words('--auto-compaction-mode revision --auto-compaction-retention 16'),
    ...words('--experimental-initial-corrupt-check --corrupt-check-time 17s'),
    ...words('--compact-hash-check-enabled --compact-hash-check-time 18s'),
  ]);
  assert.deepEqual(options, {
    config: {
      name: 'm1',
      peerUrls: ['http://127.0.0.1:24800'],
      clientUrls: ['http://127.0.0.1:24790'],
      initialCluster: [
        { name: 'm1', peerUrls: ['http://127.0.0.1:24800'] },
        { name: 'm2', peerUrls: ['http://127.0.0.1:24801'] },
      ],
      initialClusterState: 'existing',
      initialClusterToken: 't',
      heartbeatMs: 50,
      electionMs: 500,
      preVote: false,
      snapshotCount: 7,
      snapshotCatchupEntries: 8,
      quotaBackendBytes: 9,
      maxRequestBytes: 10,
      maxTxnOps: 11,
      maxLearners: 2,
      strictReconfigCheck: false,
      backendBatchIntervalMs: 12,
      backendBatchLimit: 13,
      watchProgressNotifyMs: 14_000,
      autoCompaction: { mode: 'revision', revisions: 16 },
      initialCorruptCheck: true,
      corruptCheckMs: 17_000,
      compactHashCheckMs: 18_000,
      warningApplyMs: 15,
    },
    dataDir: '/tmp/d',
    listenClientUrls: ['http://127.0.0.1:24790'],
    listenPeerUrls: ['http://127.0.0.1:24800'],
    clientTls: {
      certFile: 'c',
      keyFile: 'k',
      clientCertFile: 'cc',
      clientKeyFile: 'ck',
      trustedCaFile: 'ca',
      crlFile: 'crl',
      clientCertAuth: true,
      allowedHostnames: ['h1', 'h2'],
      selfSigned: true,
      ...bothPorts,
    },
    peerTls: {
      certFile: 'pc',
      keyFile: 'pk',
      clientCertFile: 'pcc',
      clientKeyFile: 'pck',
      trustedCaFile: 'pca',
      crlFile: 'pcrl',
      clientCertAuth: true,
      allowedCommonNames: ['n1', 'n2'],
      skipClientAddressCheck: true,
      selfSigned: true,
      ...bothPorts,
    },
    corsOrigins: ['http://a', 'http://b'],
    listenMetricsUrls: ['http://127.0.0.1:24791'],
    metrics: 'extensive',
    portOptions: {
      maxConcurrentStreams: 15,
      keepAliveMinTimeMs: 16_000,
      keepAliveIntervalMs: 17_000,
      keepAliveTimeoutMs: 18_000,
      transport: 'grpc-js',
    },
    initialElectionTickAdvance: false,
    unsafeNoFsync: true,
    logLevel: 'debug',
    logFormat: 'console',
    logOutputs: ['stderr', '/tmp/x.log'],
  });
});

test('a name alone founds a cluster of itself and names the data dir', () => {
  const peer = 'http://127.0.0.1:24800';
  const { options } = started(['--name', 'm1', '--initial-advertise-peer-urls', peer]);
  assert.deepEqual(options.config.initialCluster, [{ name: 'm1', peerUrls: [peer] }]);
  assert.equal(options.dataDir, 'm1.etcd');
});

test('the environment counts as flags', () => {
  const { options, lines } = started([], { ETCD_NAME: 'm1', ETCD_FOO: '1' });
  assert.equal(options.config.name, 'm1');
  assert.deepEqual(
    lines.map(({ level, message }) => `${level} ${message}`),
    ['info recognized and used environment variable', 'warn unrecognized environment variable'],
  );
});

test('a bad flag is usage on stderr and exit 2', () => {
  const { code, stdout, stderr, lines } = exited(['--bogus']);
  assert.deepEqual([code, stdout, lines], [2, '', []]);
  assert.match(stderr, /^flag provided but not defined: -bogus\nUsage:\n\n {2}kvorum \[flags\]\n/);
  assert.ok(stderr.endsWith('\n'));
});

test('a positional argument', () => {
  assert.equal(refusalOf(['foo']), "'foo' is not a valid flag. See 'kvorum --help'.");
});

test('refusals in etcd’s words', () => {
  const times = (heartbeat: string, election: string) =>
    words(`--heartbeat-interval ${heartbeat} --election-timeout ${election}`);
  const refusals: [string[], string][] = [
    [
      times('300', '1000'),
      '--election-timeout[1000ms] should be at least as 5 times as --heartbeat-interval[300ms]',
    ],
    [
      times('100', '60000'),
      '--election-timeout[60000ms] is too long, and should be set less than 50000ms',
    ],
    [times('0', '1000'), '--heartbeat-interval must be >0 (set to 0ms)'],
    [times('100', '0'), '--election-timeout must be >0 (set to 0ms)'],
    [
      ['--listen-client-urls', 'http://example.com:24790', '--advertise-client-urls', 'http://a:1'],
      'expected IP in URL for binding (http://example.com:24790)',
    ],
    [
      ['--initial-cluster', 'a=b'],
      'error setting up initial cluster: URL scheme must be http, https, unix, or unixs: b',
    ],
    [['--log-level', 'loud'], 'unrecognized level: "loud"'],
    [['--logger', 'capnslog'], 'unknown logger option "capnslog"'],
    [['--log-outputs', 'default,x'], 'multi logoutput for "default" is not supported yet'],
    [['--log-format', 'xml'], 'unknown log format: xml, supported values json, console'],
    [['--auto-compaction-mode', 'daily'], 'unknown auto-compaction-mode "daily"'],
    [
      ['--auto-compaction-retention', 'x'],
      'error parsing CompactionRetention: time: invalid duration "x"',
    ],
    [['--tls-min-version', 'TLS1.1'], 'unexpected TLS version "TLS1.1"'],
    [
      ['--peer-cert-allowed-cn', 'a', '--peer-cert-allowed-hostname', 'b'],
      'AllowedCN and AllowedHostname are mutually exclusive (cn="a", hostname="b")',
    ],
    [['--max-learners', '0'], '--max-learners must be >0 (set to 0)'],
    [
      ['--max-learners', '2', '--experimental-max-learners', '2'],
      'cannot set --experimental-max-learners and --max-learners at the same time,' +
        ' please use --max-learners only',
    ],
  ];
  for (const [args, message] of refusals) assert.equal(refusalOf(args), message);
});

test('feature gates: two are heeded, others are named, unknown ones refused', () => {
  const gates = 'InitialCorruptCheck=true,CompactHashCheck=1,LeaseCheckpoint=true,AllBeta=false';
  const { options, lines } = started(['--feature-gates', gates]);
  assert.equal(options.config.initialCorruptCheck, true);
  assert.equal(options.config.compactHashCheckMs, 60_000);
  assert.deepEqual(
    lines.map(({ message, fields }) => [message, fields]),
    [['feature gate has no effect', { gate: 'LeaseCheckpoint' }]],
  );
  assert.equal(refusalOf(['--feature-gates', 'X=true']), 'unrecognized feature gate: X');
  assert.equal(refusalOf(['--feature-gates', 'AllBeta']), 'missing bool value for AllBeta');
});

test('listening without advertising is refused, in two lines', () => {
  const error = '--advertise-client-urls is required when --listen-client-urls is set explicitly';
  const { code, lines } = exited(['--listen-client-urls', 'http://127.0.0.1:24790']);
  assert.equal(code, 1);
  assert.deepEqual(lines, [
    { level: 'warn', message: 'failed to verify flags', fields: { error } },
    { level: 'warn', message: 'advertise client URLs are not set', fields: { error } },
  ]);
});

test('flag and variable together are exit 1', () => {
  const { code, lines } = exited(['--snapshot-count', '7'], { ETCD_SNAPSHOT_COUNT: '5' });
  assert.equal(code, 1);
  assert.equal(lines.at(-1)?.level, 'fatal');
});

test('a flag that is not supported yet is refused by name, its default is not', () => {
  const error = '--wal-dir is not supported by this server yet';
  assert.equal(refusalOf(['--wal-dir', '/x']), error);
  assert.equal(exited([], { ETCD_WAL_DIR: '/x' }).code, 1);
  for (const flag of serverFlags.filter(({ use }) => use === 'refused')) {
    started([`--${flag.name}=${flag.initial}`]);
  }
});

/** Some value of the flag that is not its default. */
function otherValue({ kind, initial }: (typeof serverFlags)[number]): string {
  if (kind === 'bool') return initial === 'true' ? 'false' : 'true';
  if (kind === 'duration') return '7s';
  if (kind === 'urls') return 'http://127.0.0.1:1';
  return kind === 'string' ? 'other' : '7';
}

test('what a change of each flag does is what the table says', () => {
  for (const flag of serverFlags.filter(({ use }) => use !== 'honoured')) {
    const args = [`--${flag.name}=${otherValue(flag)}`];
    if (flag.use === 'refused') {
      assert.equal(refusalOf(args), `--${flag.name} is not supported by this server yet`);
      continue;
    }
    const expected =
      flag.use === 'harmless'
        ? []
        : [{ level: 'warn', message: 'flag has no effect', fields: { flag: flag.name } }];
    assert.deepEqual(warningsOf(args), expected, flag.name);
  }
});

test('an experimental name is accepted with a warning', () => {
  assert.deepEqual(
    warningsOf(['--experimental-watch-progress-notify-interval=5s']).map(({ message }) => message),
    [
      '--experimental-watch-progress-notify-interval is deprecated.' +
        ' Use --watch-progress-notify-interval instead.',
    ],
  );
});

test('the start command of kubeadm without TLS', () => {
  const { options } = started([
    ...urls,
    '--experimental-initial-corrupt-check=true',
    '--experimental-watch-progress-notify-interval=5s',
    '--snapshot-count=10000',
    '--data-dir=/var/lib/etcd',
  ]);
  assert.equal(options.config.watchProgressNotifyMs, 5000);
});

test('help goes to stdout, fits 80 columns and names every flag', () => {
  const { code, stdout, stderr } = exited(['--help']);
  assert.deepEqual([code, stderr], [0, '']);
  for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line);
  for (const { name } of serverFlags) {
    assert.match(stdout, new RegExp(`(^|\\s)(--)?${name}(\\s|$)`, 'm'), name);
  }
  for (const group of ['Member:', 'Clustering:', 'Logging:', 'Unsafe:']) {
    assert.ok(stdout.includes(`\n${group}\n`), group);
  }
});

test('version goes to stdout, with the line that tools look for', () => {
  const { code, stdout } = exited(['--version']);
  assert.equal(code, 0);
  assert.equal(
    stdout,
    'etcd Version: 3.6.0\nKvorum Version: 0.1.0\nNode Version: 20.20.2\nNode OS/Arch: linux/x64\n',
  );
});
