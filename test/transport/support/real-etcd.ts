/**
 * A real etcd as the other side. Looked for in the folders of KVORUM_ETCD_DIR, then in PATH.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import { sleep } from './waiting.js';

export interface EtcdBinary {
  path: string;
  version: string;
}

/** Each version once. */
export function findEtcds(): EtcdBinary[] {
  const { KVORUM_ETCD_DIR = '', PATH = '' } = process.env;
  const found = new Map<string, EtcdBinary>();
  for (const folder of `${KVORUM_ETCD_DIR}${delimiter}${PATH}`.split(delimiter)) {
    const path = join(folder, 'etcd');
    if (folder === '' || !isExecutable(path)) continue;
    const text = execFileSync(path, ['--version'], { encoding: 'utf8' });
    const version = /etcd Version: (\S+)/.exec(text)![1]!;
    if (!found.has(version)) found.set(version, { path, version });
  }
  return [...found.values()];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A one-member cluster on loopback, in a temporary folder. */
export class RealEtcd {
  private constructor(
    private readonly process: ChildProcess,
    private readonly directory: string,
    readonly peerUrl: string,
    private readonly clientUrl: string,
  ) {}

  static async start(
    binary: EtcdBinary,
    moreFlags: Record<string, string> = {},
  ): Promise<RealEtcd> {
    const directory = mkdtempSync(join(tmpdir(), 'kvorum-'));
    const [peerUrl, clientUrl] = [await freeUrl(), await freeUrl()];
    const flags = {
      name: 'e',
      'data-dir': directory,
      'listen-peer-urls': peerUrl,
      'initial-advertise-peer-urls': peerUrl,
      'initial-cluster': `e=${peerUrl}`,
      'listen-client-urls': clientUrl,
      'advertise-client-urls': clientUrl,
      'heartbeat-interval': '50',
      'election-timeout': '500',
      ...moreFlags,
    };
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const child = spawn(binary.path, args, { stdio: 'ignore' });
    const etcd = new RealEtcd(child, directory, peerUrl, clientUrl);
    await etcd.becomesReady();
    return etcd;
  }

  private async becomesReady(): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      await sleep(50);
      const answer = await fetch(`${this.clientUrl}/health`).catch(() => undefined);
      if (answer?.ok) return;
    }
    throw new Error('etcd does not become ready');
  }

  /** A call through the JSON gateway. */
  async call(path: string, request: object): Promise<any> {
    const body = JSON.stringify(request);
    const answer = await fetch(`${this.clientUrl}/v3/${path}`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return answer.json();
  }

  put(key: string, value: string): Promise<unknown> {
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    return this.call('kv/put', { key: base64(key), value: base64(value) });
  }

  async stop(): Promise<void> {
    const exited = new Promise((resolve) => this.process.on('exit', resolve));
    this.process.kill('SIGKILL');
    await exited;
    rmSync(this.directory, { recursive: true });
  }
}

async function freeUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
