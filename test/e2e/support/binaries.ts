/**
 * The programs under test and the ones they are compared with.
 *
 * Real etcd is looked for in the folders of KVORUM_ETCD_DIR (separated as in PATH), then in PATH.
 * KVORUM_E2E_SERVER=etcd runs the suites against the first etcd found instead of Kvorum: that is how
 * the tests themselves are checked.
 */
import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout. */
export const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** One installation of real etcd. */
export interface EtcdInstallation {
  server: string;
  ctl: string;
  /** The program that looks at snapshot files and restores them: etcdutl, or etcdctl before 3.6. */
  snapshotTool: string | undefined;
  /** Of the server, such as 3.6.16. */
  version: string;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function versionOf(server: string): string {
  const text = execFileSync(server, ['--version'], { encoding: 'utf8' });
  const version = /etcd Version: (\S+)/.exec(text)?.[1];
  if (version === undefined) throw new Error(`${server} --version says: ${text}`);
  return version;
}

function folders(): string[] {
  const listed = `${process.env.KVORUM_ETCD_DIR ?? ''}${delimiter}${process.env.PATH ?? ''}`;
  return listed.split(delimiter).filter((folder) => folder !== '');
}

function snapshotToolOf(folder: string, version: string): string | undefined {
  const utl = join(folder, 'etcdutl');
  if (isExecutable(utl)) return utl;
  return /^3\.[45]\./.test(version) ? join(folder, 'etcdctl') : undefined;
}

function find(): EtcdInstallation[] {
  const found = new Map<string, EtcdInstallation>();
  for (const folder of folders()) {
    const [server, ctl] = [join(folder, 'etcd'), join(folder, 'etcdctl')];
    if (!isExecutable(server) || !isExecutable(ctl)) continue;
    const version = versionOf(server);
    const snapshotTool = snapshotToolOf(folder, version);
    if (!found.has(version)) found.set(version, { server, ctl, snapshotTool, version });
  }
  return [...found.values()];
}

/** Every version of real etcd on this machine, in the order in which they are found. */
export const etcdInstallations: readonly EtcdInstallation[] = find();

/**
 * Why a test that needs real etcd is skipped, or false when it can run. With KVORUM_REQUIRE_ETCD=1 a
 * missing etcd is an error instead.
 */
export function skipWithoutEtcd(): string | false {
  if (etcdInstallations.length > 0) return false;
  const reason = 'no etcd and etcdctl in PATH or KVORUM_ETCD_DIR';
  if (process.env.KVORUM_REQUIRE_ETCD === '1') throw new Error(reason);
  return reason;
}

/** What the suites run as the server. */
export const serverUnderTest = process.env.KVORUM_E2E_SERVER === 'etcd' ? 'etcd' : 'kvorum';

/** A command line to which flags are appended. */
export interface ServerCommand {
  command: string;
  args: readonly string[];
}

export const kvorumCommand: ServerCommand = {
  command: process.execPath,
  args: [join(root, 'bin', 'kvorum')],
};

/** A program of this checkout by its name in bin/, as the words to start it with. */
export function program(name: 'kvorumctl' | 'kvorumutl'): [command: string, ...args: string[]] {
  return [process.execPath, join(root, 'bin', name)];
}

export function etcdCommand(etcd: EtcdInstallation): ServerCommand {
  // 3.4 writes plain text without it.
  return { command: etcd.server, args: ['--logger=zap'] };
}

/** The command of {@link serverUnderTest}. */
export function defaultServer(): ServerCommand {
  if (serverUnderTest === 'kvorum') return kvorumCommand;
  const [etcd] = etcdInstallations;
  if (!etcd) throw new Error('KVORUM_E2E_SERVER=etcd, but there is no etcd to run');
  return etcdCommand(etcd);
}
