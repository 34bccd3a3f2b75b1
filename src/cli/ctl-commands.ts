/** The commands of kvorumctl: names, flags and help. Their code is imported when they run. */
import type { Command, Program, RunCommand } from './command.js';
import { DEL_FLAGS, GET_FLAGS, PUT_FLAGS, WATCH_FLAGS } from './commands/kv-flags.js';
import type { FlagSpec } from './flag-set.js';
import { GLOBAL_FLAGS } from './global-flags.js';

const keys = 'Keys and values';
const leases = 'Leases';
const cluster = 'Cluster';
const other = 'Other';

const CONSISTENCY: FlagSpec = {
  name: 'consistency',
  kind: 'string',
  initial: 'l',
  help: 'l: linearizable, s: serializable',
};
const PEER_URLS: FlagSpec = {
  name: 'peer-urls',
  kind: 'string',
  help: 'Where other members reach it, comma separated',
};
const CLUSTER: FlagSpec = {
  name: 'cluster',
  kind: 'bool',
  help: 'All members, not only --endpoints',
};

const lease =
  (name: 'grant' | 'revoke' | 'timeToLive' | 'list' | 'keepAlive') =>
  async (): Promise<RunCommand> =>
    (await import('./commands/lease.js'))[name];

const member =
  (name: 'list' | 'add' | 'remove' | 'update' | 'promote') => async (): Promise<RunCommand> =>
    (await import('./commands/member.js'))[name];

const alarm = (name: 'list' | 'disarm') => async (): Promise<RunCommand> =>
  (await import('./commands/alarm.js'))[name];

const endpoint = (name: 'status' | 'health' | 'hashKv') => async (): Promise<RunCommand> =>
  (await import('./commands/endpoint.js'))[name];

/** In the order in which suggestions for a mistyped command list them. */
export const CTL: Command = {
  name: 'kvorumctl',
  summary: 'Talk to a Kvorum or etcd cluster',
  sharedFlags: GLOBAL_FLAGS,
  subcommands: [
    {
      name: 'get',
      summary: 'Print keys and their values',
      group: keys,
      synopsis: '<key> [range_end]',
      examples: [
        ['get config/ --prefix', 'every key that starts with config/'],
        ['get a m', 'keys from a up to, but without, m'],
        ['get k --rev=7 -w json', 'k as it was at revision 7'],
      ],
      flags: GET_FLAGS,
      load: async () => (await import('./commands/get.js')).get,
    },
    {
      name: 'put',
      summary: 'Write a key',
      group: keys,
      synopsis: '<key> [value]',
      details: [
        'A value that is missing is read from stdin, all of it.',
        "A value that begins with '-' needs -- before it.",
      ],
      examples: [
        ['put k v --lease=6943…', 'k vanishes with the lease'],
        ['put k -- -v', 'a value that looks like a flag'],
        ['put k < file', 'the contents of a file'],
      ],
      flags: PUT_FLAGS,
      load: async () => (await import('./commands/put.js')).put,
    },
    {
      name: 'del',
      summary: 'Delete keys',
      group: keys,
      synopsis: '<key> [range_end]',
      details: [
        'With [range_end] but without --range it waits 2 s first:',
        'a second key may be meant.',
      ],
      examples: [['del config/ --prefix', 'every key that starts with config/']],
      flags: DEL_FLAGS,
      load: async () => (await import('./commands/del.js')).del,
    },
    {
      name: 'txn',
      summary: 'Compare, then act, atomically',
      group: keys,
      details: [
        'Reads three sections from stdin, each ended by an empty line:',
        '  comparisons          mod("k") > "0", also ver, create, val, lease; = != < >',
        '  if all of them hold  put k v, get k, del k, with their flags',
        '  if not               the same',
      ],
      flags: [
        { name: 'interactive', short: 'i', kind: 'bool', help: 'Print a heading per section' },
      ],
      load: async () => (await import('./commands/txn.js')).txn,
    },
    {
      name: 'compaction',
      summary: 'Forget old revisions',
      group: keys,
      synopsis: '<revision>',
      flags: [{ name: 'physical', kind: 'bool', help: 'Wait until the space is free' }],
      load: async () => (await import('./commands/compaction.js')).compaction,
    },
    {
      name: 'alarm',
      summary: 'What keeps members from serving',
      group: cluster,
      subcommands: [
        { name: 'disarm', summary: 'Clear all alarms', load: alarm('disarm') },
        { name: 'list', summary: 'List alarms', load: alarm('list') },
      ],
    },
    {
      name: 'defrag',
      summary: 'Give freed disk space back',
      group: cluster,
      synopsis: '[--cluster]',
      flags: [CLUSTER],
      load: async () => (await import('./commands/defrag.js')).defrag,
    },
    {
      name: 'endpoint',
      summary: 'Ask members one by one',
      group: cluster,
      sharedFlags: [CLUSTER],
      subcommands: [
        {
          name: 'health',
          summary: 'Do they serve?',
          synopsis: '[--cluster]',
          load: endpoint('health'),
        },
        {
          name: 'status',
          summary: 'Versions, sizes, who leads',
          synopsis: '[--cluster]',
          load: endpoint('status'),
        },
        {
          name: 'hashkv',
          summary: 'Hash of all keys, to compare members',
          synopsis: '[--cluster]',
          flags: [{ name: 'rev', kind: 'int', help: 'Up to this revision; 0 is now' }],
          load: endpoint('hashKv'),
        },
      ],
    },
    {
      name: 'move-leader',
      summary: 'Hand leadership to a member',
      group: cluster,
      synopsis: '<member-id>',
      details: ['The leader must be among --endpoints.'],
      load: async () => (await import('./commands/move-leader.js')).moveLeader,
    },
    {
      name: 'watch',
      summary: 'Print changes as they happen',
      group: keys,
      synopsis: '[key] [range_end] [-- command…]',
      details: [
        'Runs the command for each event, with ETCD_WATCH_KEY, ETCD_WATCH_VALUE,',
        'ETCD_WATCH_EVENT_TYPE and ETCD_WATCH_REVISION in its environment.',
        'Without a key, ETCDCTL_WATCH_KEY and ETCDCTL_WATCH_RANGE_END name it.',
      ],
      examples: [
        ['watch config/ --prefix --rev=7', 'from revision 7 on'],
        ["watch k -- sh -c 'echo changed'", 'run something at each change'],
      ],
      flags: WATCH_FLAGS,
      load: async () => (await import('./commands/watch.js')).watch,
    },
    {
      name: 'version',
      summary: 'Print versions',
      group: other,
      load: async () => (await import('./commands/version.js')).version,
    },
    {
      name: 'lease',
      summary: 'Make keys vanish in time',
      group: leases,
      subcommands: [
        { name: 'grant', summary: 'Make a lease', synopsis: '<ttl-seconds>', load: lease('grant') },
        {
          name: 'revoke',
          summary: 'End a lease and delete its keys',
          synopsis: '<id>',
          load: lease('revoke'),
        },
        {
          name: 'timetolive',
          summary: 'How long a lease has left',
          synopsis: '<id>',
          flags: [{ name: 'keys', kind: 'bool', help: 'Print the keys attached' }],
          load: lease('timeToLive'),
        },
        { name: 'list', summary: 'List leases', load: lease('list') },
        {
          name: 'keep-alive',
          summary: 'Renew a lease until stopped',
          synopsis: '<id>',
          flags: [{ name: 'once', kind: 'bool', help: 'Renew once and stop' }],
          load: lease('keepAlive'),
        },
      ],
    },
    {
      name: 'member',
      summary: 'Who is in the cluster',
      group: cluster,
      subcommands: [
        {
          name: 'list',
          summary: 'List members',
          flags: [CONSISTENCY],
          load: member('list'),
        },
        {
          name: 'add',
          summary: 'Add a member, and print what to start it with',
          synopsis: '<name>',
          flags: [
            PEER_URLS,
            { name: 'learner', kind: 'bool', help: 'Without a vote until promoted' },
          ],
          load: member('add'),
        },
        {
          name: 'promote',
          summary: 'Give a learner its vote',
          synopsis: '<member-id>',
          load: member('promote'),
        },
        {
          name: 'remove',
          summary: 'Remove a member',
          synopsis: '<member-id>',
          load: member('remove'),
        },
        {
          name: 'update',
          summary: "Change a member's peer URLs",
          synopsis: '<member-id>',
          flags: [PEER_URLS],
          load: member('update'),
        },
      ],
    },
    {
      name: 'snapshot',
      summary: 'Back up the keyspace',
      group: cluster,
      subcommands: [
        {
          name: 'save',
          summary: "Write one member's keyspace to a file",
          synopsis: '<filename>',
          details: ['kvorumutl snapshot looks at such files, and restores them.'],
          load: async () => (await import('./commands/snapshot-save.js')).save,
        },
      ],
    },
    {
      name: 'check',
      summary: 'Test a server',
      group: cluster,
      subcommands: [
        {
          name: 'conformance',
          summary: "Check that a server keeps etcd's v3 contract",
          details: [
            'Works with any server that claims the API. A verdict for each promise: pass,',
            'fail with the requests that show it, or oddity: what some versions of etcd are',
            'known to do instead. Exit code 0 if nothing failed, else 1.',
            'It writes below kvorum-conformance/<random>/ only, and cleans up after each',
            'check, also after ctrl-C. Compaction makes the server forget old revisions,',
            'which others may be reading: it is checked only when allowed.',
            'The first endpoint is checked; more of its cluster show what is between them.',
          ],
          examples: [
            ['check conformance --allow-compaction', 'on a server of your own'],
            ['check conformance --only=txn -w json', 'one area, for a program'],
          ],
          flags: [
            { name: 'only', kind: 'list', help: 'Areas or checks, comma separated' },
            { name: 'list', kind: 'bool', help: 'List the checks and stop' },
            {
              name: 'allow-compaction',
              kind: 'bool',
              help: 'Check compaction: old revisions are lost to all',
            },
            {
              name: 'timeout',
              kind: 'duration',
              initial: '10s',
              help: 'For each check',
            },
          ],
          load: async () => (await import('./commands/check-conformance.js')).conformance,
        },
      ],
    },
    {
      name: 'help',
      summary: 'Explain a command',
      group: other,
      synopsis: '[command]',
    },
  ],
};

/** kvorumctl. The reserved names are etcdctl's other commands. */
export const KVORUMCTL: Program = {
  root: CTL,
  reserved: ['auth', 'completion', 'downgrade', 'elect', 'lock', 'make-mirror', 'role', 'user'],
  usageErrors: 'stdout',
};
