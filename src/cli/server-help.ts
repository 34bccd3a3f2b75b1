/** What the server prints about itself: help, usage, versions. */
import { serverFlags, type FlagUse, type ServerFlag } from './server-flag-table.js';

const WIDTH = 80;

/** For stderr, below a refused flag. */
export const USAGE = `Usage:

  kvorum [flags]
    Start a server.

  kvorum --version
    Print versions.

  kvorum -h | --help
    Print all flags.
`;

const EXAMPLE = `Example: a member of three, on one machine

  kvorum --name a --data-dir /var/lib/kvorum-a \\
    --listen-client-urls http://127.0.0.1:2379 \\
    --advertise-client-urls http://127.0.0.1:2379 \\
    --listen-peer-urls http://127.0.0.1:2380 \\
    --initial-advertise-peer-urls http://127.0.0.1:2380 \\
    --initial-cluster a=http://127.0.0.1:2380,b=http://127.0.0.1:12380,\\
  c=http://127.0.0.1:22380
`;

/** For stdout: every flag, by group, with its default. Lines fit 80 columns. */
export function serverHelp(): string {
  const groups = [...new Set(serverFlags.map(({ group }) => group))];
  const sections = groups
    .filter((group) => group !== undefined)
    .map((group) =>
      section(
        group,
        serverFlags.filter((flag) => flag.group === group),
      ),
    );
  return [USAGE, ENVIRONMENT, EXAMPLE, ...sections, ...otherSections()].join('\n');
}

const ENVIRONMENT = `Each flag may be given as a variable instead: ETCD_DATA_DIR for --data-dir.
`;

function section(group: string, flags: readonly ServerFlag[]): string {
  return `${group}:\n${flags.map(entry).join('')}`;
}

function entry({ name, initial, help }: ServerFlag): string {
  return `  --${name} '${initial}'\n${wrapped(help!.split(' '), '    ')}`;
}

const otherUses: [FlagUse, string][] = [
  ['unheeded', 'Accepted with a warning, without effect'],
  ['harmless', 'Accepted without effect'],
  ['refused', 'Not supported yet; only the default value is accepted'],
];

function otherSections(): string[] {
  return otherUses.map(([use, heading]) => {
    const names = serverFlags.filter((flag) => flag.use === use).map(({ name }) => name);
    return `${heading}:\n${wrapped(names.sort(), '  ')}`;
  });
}

/** The words in lines of at most {@link WIDTH} columns. */
function wrapped(words: readonly string[], indent: string): string {
  const lines: string[] = [];
  let line = indent.slice(1);
  for (const word of words) {
    if (line.length >= indent.length && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = indent.slice(1);
    }
    line += ` ${word}`;
  }
  return [...lines, line].map((text) => `${text}\n`).join('');
}

export interface Versions {
  /** The etcd version this server is compatible with: tools look for the line `etcd Version`. */
  etcd: string;
  kvorum: string;
  /** Of Node, without the v. */
  node: string;
  platform: string;
  arch: string;
}

/** For stdout. */
export function versionText({ etcd, kvorum, node, platform, arch }: Versions): string {
  const lines = [
    `etcd Version: ${etcd}`,
    `Kvorum Version: ${kvorum}`,
    `Node Version: ${node}`,
    `Node OS/Arch: ${platform}/${arch}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}
