/** One real etcd on a data dir, on free ports of the loopback interface. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { EtcdTool } from './etcd-tools.js';

const START_MS = 20_000;

export interface EtcdServer {
  /** Of the client port. */
  url: string;
  stop(): Promise<void>;
}

export async function freeUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

export interface EtcdServerOptions {
  dataDir: string;
  peerUrl: string;
  /** The member's, and that of the restore. */
  name: string;
}

/** Resolves when the server answers that it is healthy. */
export async function startEtcd(etcd: EtcdTool, options: EtcdServerOptions): Promise<EtcdServer> {
  const url = await freeUrl();
  const { dataDir, peerUrl, name } = options;
  const flags = {
    name,
    'data-dir': dataDir,
    'listen-client-urls': url,
    'advertise-client-urls': url,
    'listen-peer-urls': peerUrl,
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': `${name}=${peerUrl}`,
    'heartbeat-interval': 20,
    'election-timeout': 200,
  };
  const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
  const child = spawn(etcd.path, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (text: Buffer) => (log = (log + text.toString()).slice(-4000)));
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  for (let waitedMs = 0; !(await isHealthy(url)); waitedMs += 50) {
    if (child.exitCode === null && waitedMs < START_MS) await delay(50);
    else {
      await stop();
      throw new Error(`etcd did not start: ${log}`);
    }
  }
  return { url, stop };
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const answer = (await (await fetch(`${url}/health`)).json()) as { health: string };
    return answer.health === 'true';
  } catch {
    return false;
  }
}
