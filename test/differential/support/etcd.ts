/** The etcd that Kvorum is compared with. */
import { execFileSync } from 'node:child_process';
import { etcdInstallations } from '../../e2e/support/binaries.js';

/** A server program of real etcd. */
export interface EtcdProgram {
  readonly path: string;
  /** Such as 3.6.16. */
  readonly version: string;
}

/** The server program at `path`. */
export function etcdAt(path: string): EtcdProgram {
  const text = execFileSync(path, ['--version'], { encoding: 'utf8' });
  const version = /etcd Version: (\S+)/.exec(text)?.[1];
  if (version === undefined) throw new Error(`${path} --version says: ${text}`);
  return { path, version };
}

/** The first one in KVORUM_ETCD_DIR and PATH; undefined when there is none. */
export function firstEtcd(): EtcdProgram | undefined {
  const [found] = etcdInstallations;
  return found && { path: found.server, version: found.version };
}

/** Is `version` older than `other`? Both are three numbers. */
export function isBefore(version: string, other: string): boolean {
  const numbers = (text: string) => text.split('.').map(Number) as [number, number, number];
  const [a, b] = [numbers(version), numbers(other)];
  const at = a.findIndex((number, i) => number !== b[i]);
  return at >= 0 && a[at]! < b[at]!;
}
