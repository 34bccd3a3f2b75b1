/** Real etcd programs, where there are any: in the folder KVORUM_ETCD_DIR, else on the PATH. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

export interface EtcdTool {
  path: string;
  /** Major and minor as a number: 3.6. */
  version: number;
  /** Standard output; rejects when the program fails, with its standard error in the message. */
  run(args: readonly string[]): Promise<string>;
}

const execute = promisify(execFile);

export async function findTool(
  name: 'etcd' | 'etcdctl' | 'etcdutl',
): Promise<EtcdTool | undefined> {
  const path = searchFolders()
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
  if (path === undefined) return undefined;
  const run = async (args: readonly string[]) => {
    const env = { ...process.env, ETCDCTL_API: '3' };
    return (await execute(path, [...args], { env, maxBuffer: 64 << 20, timeout: 30_000 })).stdout;
  };
  const text = await run([name === 'etcd' ? '--version' : 'version']);
  return { path, version: Number(/ersion: (\d+\.\d+)/.exec(text)![1]), run };
}

function searchFolders(): string[] {
  const { KVORUM_ETCD_DIR, PATH = '' } = process.env;
  const path = PATH.split(delimiter).filter((folder) => folder !== '');
  return KVORUM_ETCD_DIR === undefined ? path : [KVORUM_ETCD_DIR, ...path];
}
