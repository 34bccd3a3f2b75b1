/**
 * A real etcd and a Kvorum, both new and empty, of one member each, to which the same is done. They
 * advertise the same peer url, so that cluster and member ids, which are hashes of it, are equal, and
 * requests have the same size in the log.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from '../../e2e/support/at-exit.js';
import { kvorumCommand } from '../../e2e/support/binaries.js';
import type { ServerCommand } from '../../e2e/support/binaries.js';
import { Member } from '../../e2e/support/member.js';
import type { EtcdProgram } from './etcd.js';
import { RawClient } from './raw-client.js';

export interface Side {
  readonly name: 'etcd' | 'kvorum';
  readonly member: Member;
  readonly client: RawClient;
}

export class Pair {
  readonly etcd: Side;
  readonly kvorum: Side;
  readonly version: string;
  readonly #folder: string;

  private constructor(sides: [Side, Side], version: string, folder: string) {
    [this.etcd, this.kvorum] = sides;
    this.version = version;
    this.#folder = folder;
  }

  /** Starts both and connects to them. `flags` go to both, without dashes. */
  static async start(etcd: EtcdProgram, flags: Record<string, string> = {}): Promise<Pair> {
    const folder = quickFolder();
    const command = { command: etcd.path, args: ['--logger=zap'] };
    const sides = await Promise.all([
      startSide('etcd', command, folder, flags),
      startSide('kvorum', kvorumCommand, folder, flags),
    ]);
    return new Pair(sides, etcd.version, folder);
  }

  get sides(): readonly [Side, Side] {
    return [this.etcd, this.kvorum];
  }

  /** Ends both and removes their files. */
  async stop(): Promise<void> {
    for (const { client } of this.sides) client.close();
    await Promise.all(this.sides.map(({ member }) => member.stop()));
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}

/** Nobody hears the address: a member does not dial itself. */
const PEER_URL = 'http://127.0.0.1:1';
/** Long runs go on beside other work. */
const READY_TIMEOUT_MS = 120_000;
const QUOTA_BYTES = 8 * 2 ** 30;

async function startSide(
  name: Side['name'],
  server: ServerCommand,
  folder: string,
  flags: Record<string, string>,
): Promise<Side> {
  const member = await Member.start({
    server,
    dataDir: join(folder, name),
    readyTimeoutMs: READY_TIMEOUT_MS,
    flags: {
      'initial-advertise-peer-urls': PEER_URL,
      'initial-cluster': `default=${PEER_URL}`,
      'quota-backend-bytes': String(QUOTA_BYTES),
      ...flags,
    },
  });
  const client = new RawClient(member.endpoint);
  await client.connected();
  return { name, member, client };
}

/** In memory where there is such a place: what the disk keeps is not the question here. */
function quickFolder(): string {
  const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const folder = mkdtempSync(join(parent, 'kvorum-differential-'));
  atExit('files', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
