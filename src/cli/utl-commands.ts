/** The commands of kvorumutl: names, flags and help. Their code is imported when they run. */
import { GLOBAL_OPTIONS, type Command, type Program, type RunCommand } from './command.js';
import type { FlagSpec } from './flag-set.js';

const backups = 'Snapshot files';
const other = 'Other';
const group = GLOBAL_OPTIONS;

const GLOBAL_FLAGS: readonly FlagSpec[] = [
  {
    name: 'write-out',
    short: 'w',
    kind: 'string',
    initial: 'simple',
    help: 'simple, json, table or fields',
    group,
  },
  { name: 'hex', kind: 'bool', help: 'Print bytes as \\xNN', group },
];

const RESTORE_FLAGS: readonly FlagSpec[] = [
  { name: 'data-dir', kind: 'string', help: 'Folder to make; <name>.etcd if not given' },
  { name: 'name', kind: 'string', initial: 'default', help: 'Name of this member' },
  {
    name: 'initial-cluster',
    kind: 'string',
    initial: 'default=http://localhost:2380',
    help: 'name=peer-url of every member',
  },
  {
    name: 'initial-cluster-token',
    kind: 'string',
    initial: 'etcd-cluster',
    help: 'Goes into the ids',
  },
  {
    name: 'initial-advertise-peer-urls',
    kind: 'string',
    initial: 'http://localhost:2380',
    help: "This member's peer URLs",
  },
  { name: 'skip-hash-check', kind: 'bool', help: 'For a file copied out of a data dir' },
  { name: 'bump-revision', kind: 'uint', help: 'Raise the revision by so many' },
  { name: 'mark-compacted', kind: 'bool', help: 'With --bump-revision: earlier ones are void' },
  { name: 'without-auth', kind: 'bool', help: 'Restore though users and roles are lost' },
  { name: 'wal-dir', kind: 'string', help: 'Refused: the log is in the data dir' },
  {
    name: 'initial-memory-map-size',
    kind: 'uint',
    initial: '10737418240',
    help: 'Has no effect here',
  },
];

const REVISION: FlagSpec = { name: 'rev', kind: 'int', help: 'As of this revision; 0 is the last' };

const reading = (name: 'status' | 'hashKv' | 'get' | 'diff') => async (): Promise<RunCommand> =>
  (await import('./commands/snapshot-read.js'))[name];

export const UTL: Command = {
  name: 'kvorumutl',
  summary: 'Work on snapshot files, without a server',
  sharedFlags: GLOBAL_FLAGS,
  subcommands: [
    {
      name: 'snapshot',
      summary: 'Look at a backup, restore it',
      group: backups,
      subcommands: [
        {
          name: 'status',
          summary: 'Check the file; print its hash, revision, keys and size',
          synopsis: '<filename>',
          load: reading('status'),
        },
        {
          name: 'restore',
          summary: 'Make a data dir from it',
          synopsis: '<filename>',
          details: [
            'The members, their ids and the raft log are new; data and leases are kept.',
            'For several members: the same file and --initial-cluster, each with its --name.',
          ],
          examples: [['snapshot restore b.db --data-dir d', 'one member with the default URLs']],
          flags: RESTORE_FLAGS,
          load: async () => (await import('./commands/snapshot-restore.js')).restore,
        },
        {
          name: 'get',
          summary: 'Print keys and values out of it',
          synopsis: '<filename> <key>',
          examples: [['snapshot get b.db config/ --prefix', 'keys that start with config/']],
          flags: [
            { name: 'prefix', kind: 'bool', help: 'Keys that start with <key>' },
            REVISION,
            { name: 'print-value-only', kind: 'bool', help: 'Values without keys' },
          ],
          load: reading('get'),
        },
        {
          name: 'diff',
          summary: 'Print the keys in which two differ',
          synopsis: '<filename> <filename>',
          details: [
            '- key: only in the first; + key: only in the second;',
            '~ key: another value or lease.',
            'Exit code 1 if there is any.',
          ],
          examples: [['snapshot diff old.db new.db', 'what has changed since']],
          flags: [{ name: 'prefix', kind: 'string', help: 'Only keys that start with it' }],
          load: reading('diff'),
        },
      ],
    },
    {
      name: 'hashkv',
      summary: 'Hash of all keys, to compare with members',
      group: backups,
      synopsis: '<filename>',
      flags: [REVISION],
      load: reading('hashKv'),
    },
    {
      name: 'version',
      summary: 'Print versions',
      group: other,
      load: async () => (await import('./commands/version.js')).utlVersion,
    },
    { name: 'help', summary: 'Explain a command', group: other, synopsis: '[command]' },
  ],
};

/** kvorumutl. The reserved names are etcdutl's other commands. */
export const KVORUMUTL: Program = {
  root: UTL,
  reserved: ['completion', 'defrag', 'migrate'],
  usageErrors: 'stderr',
};
