/** Every flag of etcd 3.6's server, and what this server does with it. */

/**
 * - `honoured`: does here what it does in etcd;
 * - `harmless`: accepted, since it tunes a part that this server does not have;
 * - `unheeded`: accepted with a warning, since leaving it out loses a check or a hint but no promise;
 * - `refused`: only its default value is accepted, since going on without it would break a promise.
 */
export type FlagUse = 'honoured' | 'harmless' | 'unheeded' | 'refused';

/** How Go reads the value. `uint32` and `uint` differ in range, `choice` takes one of `choices`. */
export type ServerFlagKind =
  'string' | 'bool' | 'int' | 'uint' | 'uint32' | 'duration' | 'urls' | 'choice';

export interface ServerFlag {
  readonly name: string;
  readonly kind: ServerFlagKind;
  /** As etcd prints it; '' where it prints nothing. */
  readonly initial: string;
  readonly use: FlagUse;
  /** For flags that are honoured: heading and line of --help. */
  readonly group?: string;
  readonly help?: string;
  readonly choices?: readonly string[];
}

type Row = readonly [name: string, kind: ServerFlagKind, initial: string, help: string];

function honoured(group: string, rows: readonly Row[]): ServerFlag[] {
  return rows.map(([name, kind, initial, help]) => ({
    name,
    kind,
    initial,
    use: 'honoured',
    group,
    help,
  }));
}

type Bare = readonly [name: string, kind: ServerFlagKind, initial: string];

function others(use: FlagUse, rows: readonly Bare[]): ServerFlag[] {
  return rows.map(([name, kind, initial]) => ({ name, kind, initial, use }));
}

const member = honoured('Member', [
  ['name', 'string', 'default', 'Name of this member; it must appear in --initial-cluster.'],
  ['data-dir', 'string', '${name}.etcd', 'Where this member keeps everything.'],
  ['snapshot-count', 'uint', '10000', 'Applied entries between compactions of the raft log.'],
  [
    'snapshot-catchup-entries',
    'uint',
    '5000',
    'Entries kept behind such a compaction for followers that are slow.',
  ],
  ['heartbeat-interval', 'uint', '100', 'Milliseconds between heartbeats of the leader.'],
  [
    'election-timeout',
    'uint',
    '1000',
    'Milliseconds without a heartbeat after which a follower calls an election.',
  ],
  [
    'initial-election-tick-advance',
    'bool',
    'true',
    'Hold the first election after a start sooner.',
  ],
  ['listen-peer-urls', 'urls', 'http://localhost:2380', 'Where to listen for other members.'],
  ['listen-client-urls', 'urls', 'http://localhost:2379', 'Where to listen for clients.'],
  [
    'quota-backend-bytes',
    'int',
    '0',
    'Size of the keyspace that raises the NOSPACE alarm; 0 is 2 GiB, below 0 is none.',
  ],
  ['backend-batch-interval', 'duration', '0s', 'Longest time between flushes; 0 is 100ms.'],
  ['backend-batch-limit', 'int', '0', 'Most operations between flushes; 0 is 10000.'],
  ['max-txn-ops', 'uint', '128', 'Operations in one transaction.'],
  ['max-request-bytes', 'uint', '1572864', 'Size of one request.'],
  [
    'watch-progress-notify-interval',
    'duration',
    '10m0s',
    'Time between progress notifications of a quiet watch that asked for them.',
  ],
]);

const clustering: ServerFlag[] = [
  ...honoured('Clustering', [
    [
      'initial-advertise-peer-urls',
      'urls',
      'http://localhost:2380',
      'Where other members reach this one.',
    ],
    [
      'initial-cluster',
      'string',
      'default=http://localhost:2380',
      'The founders, or the members of the cluster to join: name=url, comma separated.',
    ],
    ['initial-cluster-token', 'string', 'etcd-cluster', 'Keeps clusters of equal urls apart.'],
    [
      'advertise-client-urls',
      'urls',
      'http://localhost:2379',
      'Where clients reach this member; required with --listen-client-urls.',
    ],
    [
      'strict-reconfig-check',
      'bool',
      'true',
      'Refuse membership changes that endanger the quorum.',
    ],
    ['pre-vote', 'bool', 'true', 'Ask before an election whether it could be won.'],
    ['max-learners', 'int', '1', 'Learners that the cluster may have.'],
  ]),
  {
    name: 'initial-cluster-state',
    kind: 'choice',
    initial: 'new',
    choices: ['new', 'existing'],
    use: 'honoured',
    group: 'Clustering',
    help: "'new' founds the cluster; 'existing' joins one that runs.",
  },
];

/** One flag for each kind of port: `cert-file` and `peer-cert-file`. */
const security = honoured('Security', [
  ['cert-file', 'string', '', 'PEM file: certificate of the client port (with https URLs).'],
  ['key-file', 'string', '', "PEM file: that certificate's key."],
  ['client-cert-file', 'string', '', 'PEM file: accepted; this server dials no client ports.'],
  ['client-key-file', 'string', '', 'PEM file: its key.'],
  ['client-cert-auth', 'bool', 'false', 'Clients must show a certificate.'],
  [
    'trusted-ca-file',
    'string',
    '',
    "PEM file: CAs of clients' certificates; given, clients must show one.",
  ],
  ['client-crl-file', 'string', '', 'Revocation list: certificates that are turned away.'],
  [
    'client-cert-allowed-hostname',
    'string',
    '',
    "Host name that clients' certificates must be good for; comma separated.",
  ],
  ['auto-tls', 'bool', 'false', 'Make a self-signed certificate for the client port.'],
  ['peer-cert-file', 'string', '', 'PEM file: certificate of the peer port.'],
  ['peer-key-file', 'string', '', "PEM file: that certificate's key."],
  ['peer-client-cert-file', 'string', '', 'PEM file: what to show to peers, if not that.'],
  ['peer-client-key-file', 'string', '', "PEM file: that certificate's key."],
  ['peer-client-cert-auth', 'bool', 'false', 'Peers must show a certificate.'],
  [
    'peer-trusted-ca-file',
    'string',
    '',
    "PEM file: CAs of peers' certificates; given, peers must show one.",
  ],
  ['peer-crl-file', 'string', '', 'Revocation list: certificates that are turned away.'],
  [
    'peer-cert-allowed-cn',
    'string',
    '',
    "Common name that peers' certificates must have; comma separated.",
  ],
  [
    'peer-cert-allowed-hostname',
    'string',
    '',
    "Host name that peers' certificates must be good for; comma separated.",
  ],
  [
    'peer-skip-client-san-verification',
    'bool',
    'false',
    'Do not hold peers to the addresses that their certificates name.',
  ],
  ['peer-auto-tls', 'bool', 'false', 'Make a self-signed certificate for the peer port.'],
  ['self-signed-cert-validity', 'uint', '1', 'Years that a certificate of our own is good for.'],
  ['cipher-suites', 'string', '', "Cipher suites of TLS 1.2 by Go's names, comma separated."],
  ['tls-min-version', 'string', 'TLS1.2', 'TLS1.2 or TLS1.3.'],
  ['tls-max-version', 'string', '', 'TLS1.2 or TLS1.3.'],
  ['cors', 'string', '*', 'Origins that browsers may call from, comma separated.'],
]);

const connections: ServerFlag[] = [
  ...honoured('Client connections', [
    ['max-concurrent-streams', 'uint32', '4294967295', 'Streams at a time on one connection.'],
    [
      'grpc-keepalive-min-time',
      'duration',
      '5s',
      'Clients that ping more often are sent away; 0 is 5m.',
    ],
    [
      'grpc-keepalive-interval',
      'duration',
      '2h0m0s',
      'Quiet time before a client is pinged; 0 is 2h.',
    ],
    [
      'grpc-keepalive-timeout',
      'duration',
      '20s',
      'Time for its answer before the connection is closed; 0 is 20s.',
    ],
  ]),
  {
    name: 'transport',
    kind: 'choice',
    initial: 'http2',
    choices: ['http2', 'grpc-js'],
    use: 'honoured',
    group: 'Client connections',
    help: "'grpc-js' serves gRPC with @grpc/grpc-js instead: slower, to compare with. Not etcd's.",
  },
];

const upkeep = honoured('Upkeep', [
  [
    'auto-compaction-mode',
    'string',
    'periodic',
    "'periodic' keeps revisions for a time, 'revision' a number of them.",
  ],
  [
    'auto-compaction-retention',
    'string',
    '0',
    'What to keep: a duration or hours, or a number of revisions; 0 is everything.',
  ],
  [
    'initial-corrupt-check',
    'bool',
    'false',
    'Compare with the other members before a restart; a difference ends it.',
  ],
  [
    'corrupt-check-time',
    'duration',
    '0s',
    'Time between comparisons of all members; a difference raises the CORRUPT alarm.',
  ],
  ['compact-hash-check-enabled', 'bool', 'false', 'Compare members after compactions.'],
  ['compact-hash-check-time', 'duration', '1m0s', 'Time between such comparisons.'],
  [
    'feature-gates',
    'string',
    '',
    'InitialCorruptCheck=true and CompactHashCheck=true are heeded; others have no effect.',
  ],
]);

const monitoring: ServerFlag[] = [
  ...honoured('Monitoring', [
    [
      'listen-metrics-urls',
      'urls',
      '',
      'Where to answer /metrics, /health, /livez and /readyz besides the client port.',
    ],
    [
      'warning-apply-duration',
      'duration',
      '100ms',
      'A request whose apply takes longer is named in the log.',
    ],
  ]),
  {
    name: 'metrics',
    kind: 'choice',
    initial: 'basic',
    choices: ['basic', 'extensive'],
    use: 'honoured',
    group: 'Monitoring',
    help: "'extensive' adds the latency of gRPC calls.",
  },
];

const logging = honoured('Logging', [
  ['log-level', 'string', 'info', 'debug, info, warn, error, panic or fatal.'],
  ['log-format', 'string', 'json', 'json or console.'],
  ['log-outputs', 'string', 'default', 'stderr (default), stdout or files, comma separated.'],
  ['logger', 'string', 'zap', 'zap: the form that etcd has for its lines.'],
]);

const unsafe = honoured('Unsafe', [
  ['unsafe-no-fsync', 'bool', 'false', 'Do not wait for the disk: a power cut loses writes.'],
]);

const about = honoured('About', [['version', 'bool', 'false', 'Print versions and exit.']]);

const harmless = others('harmless', [
  // Files of a write-ahead log and of snapshots that this server does not write.
  ['max-wals', 'uint', '5'],
  ['max-snapshots', 'uint', '5'],
  ['backend-bbolt-freelist-type', 'string', 'map'],
  ['bootstrap-defrag-threshold-megabytes', 'uint', '0'],
  ['memory-mlock', 'bool', 'false'],
  // Pace of work that is cut into slices here by other means.
  ['compaction-batch-limit', 'int', '1000'],
  ['compaction-sleep-interval', 'duration', '10ms'],
  ['txn-mode-write-with-shared-buffer', 'bool', 'true'],
  ['raft-read-timeout', 'duration', '5s'],
  ['raft-write-timeout', 'duration', '5s'],
  ['downgrade-check-time', 'duration', '5s'],
  // The v2 store, which is gone.
  ['v2-deprecation', 'string', 'write-only'],
  ['enable-v2', 'bool', 'false'],
  ['discovery-fallback', 'string', 'exit'],
  // Matter only with a feature that is refused or absent.
  ['bcrypt-cost', 'uint', '10'],
  ['auth-token-ttl', 'uint', '300'],
  [
    'log-rotation-config-json',
    'string',
    '{"maxsize": 100, "maxage": 0, "maxbackups": 0, "localtime": false, "compress": false}',
  ],
  ['distributed-tracing-address', 'string', 'localhost:4317'],
  ['distributed-tracing-service-name', 'string', 'etcd'],
  ['distributed-tracing-instance-id', 'string', ''],
  ['distributed-tracing-sampling-rate', 'int', '0'],
  ['discovery-dial-timeout', 'duration', '2s'],
  ['discovery-request-timeout', 'duration', '5s'],
  ['discovery-keepalive-time', 'duration', '2s'],
  ['discovery-keepalive-timeout', 'duration', '6s'],
  ['discovery-insecure-transport', 'bool', 'true'],
  ['discovery-insecure-skip-tls-verify', 'bool', 'false'],
  ['discovery-cert', 'string', ''],
  ['discovery-key', 'string', ''],
  ['discovery-cacert', 'string', ''],
  ['discovery-user', 'string', ''],
  ['discovery-password', 'string', ''],
]);

const unheeded = others('unheeded', [
  ['enable-lease-checkpoint', 'bool', 'false'],
  ['enable-lease-checkpoint-persist', 'bool', 'false'],
  ['stop-grpc-service-on-defrag', 'bool', 'false'],
  ['set-member-localaddr', 'bool', 'false'],
  // Lines in the log.
  ['warning-unary-request-duration', 'duration', '300ms'],
  ['socket-reuse-port', 'bool', 'false'],
  ['socket-reuse-address', 'bool', 'false'],
  ['enable-grpc-gateway', 'bool', 'true'],
]);

const refused = others('refused', [
  ['config-file', 'string', ''],
  ['wal-dir', 'string', ''],
  ['force-new-cluster', 'bool', 'false'],
  ['listen-client-http-urls', 'urls', ''],
  ['discovery', 'string', ''],
  ['discovery-proxy', 'string', ''],
  ['discovery-srv', 'string', ''],
  ['discovery-srv-name', 'string', ''],
  ['discovery-token', 'string', ''],
  ['discovery-endpoints', 'string', ''],
  ['host-whitelist', 'string', '*'],
  ['auth-token', 'string', 'simple'],
  ['enable-pprof', 'bool', 'false'],
  ['enable-distributed-tracing', 'bool', 'false'],
  ['enable-log-rotation', 'bool', 'false'],
]);

/** All flags by their present names. */
export const serverFlags: readonly ServerFlag[] = [
  ...member,
  ...clustering,
  ...security,
  ...upkeep,
  ...monitoring,
  ...connections,
  ...logging,
  ...unsafe,
  ...about,
  ...harmless,
  ...unheeded,
  ...refused,
];

const flagsByName = new Map(serverFlags.map((flag) => [flag.name, flag]));

const EXPERIMENTAL = 'experimental-';

/** Flags that etcd 3.5 knew under `experimental-…` only; their present name is without it. */
const onceExperimental = new Set([
  'initial-corrupt-check',
  'corrupt-check-time',
  'compact-hash-check-enabled',
  'compact-hash-check-time',
  'enable-lease-checkpoint',
  'enable-lease-checkpoint-persist',
  'compaction-batch-limit',
  'compaction-sleep-interval',
  'peer-skip-client-san-verification',
  'watch-progress-notify-interval',
  'downgrade-check-time',
  'memory-mlock',
  'warning-apply-duration',
  'warning-unary-request-duration',
  'txn-mode-write-with-shared-buffer',
  'bootstrap-defrag-threshold-megabytes',
  'stop-grpc-service-on-defrag',
  'max-learners',
  'snapshot-catchup-entries',
  'set-member-localaddr',
  'enable-distributed-tracing',
  'distributed-tracing-address',
  'distributed-tracing-service-name',
  'distributed-tracing-instance-id',
  'distributed-tracing-sampling-rate',
]);

/** The flag called `name`, under its present or its experimental name. */
export function findServerFlag(name: string): ServerFlag | undefined {
  if (!name.startsWith(EXPERIMENTAL)) return flagsByName.get(name);
  const present = name.slice(EXPERIMENTAL.length);
  return onceExperimental.has(present) ? flagsByName.get(present) : undefined;
}

/** Names that were flags once: etcd reads over them, and so does this server. */
const formerFlags = new Set([
  'cluster-active-size',
  'cluster-remove-delay',
  'cluster-sync-interval',
  'config',
  'force',
  'max-result-buffer',
  'max-retry-attempts',
  'peer-heartbeat-interval',
  'peer-election-timeout',
  'retry-interval',
  'snapshot',
  'v',
  'vv',
]);

/** Is `name` read over? Such a flag has a value only behind `=`. */
export function isFormerFlag(name: string): boolean {
  return formerFlags.has(name) || name.startsWith('test.');
}
