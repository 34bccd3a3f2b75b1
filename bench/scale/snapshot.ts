/** What a backup of 2 GiB costs: time and memory, of the server and of the tools. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import type { Client } from '../../src/client/index.js';
import type { Bench, Line } from '../harness/line.js';
import { keyOf } from '../harness/requests.js';
import { temporaryDir } from '../harness/temporary-dir.js';

const KEYS = 32_768;
const VALUE_BYTES = 64 * 1024;
const FILLING = 64;
const SAMPLE_MS = 20;
const root = fileURLToPath(new URL('../../../', import.meta.url));

export const snapshot: Line = {
  name: 'snapshot',
  what: 'backup of 32,768 keys with 64 KiB each (2 GiB): kvorumctl saves it, kvorumutl restores it',
  figures: [
    { name: 'save', unit: 's', better: 'less', goal: { ratioAtMost: 2 } },
    {
      name: 'RSS of the server while saving, peak',
      unit: 'MiB',
      better: 'less',
      goal: { atMost: 286 },
    },
    { name: 'RSS of kvorumctl, peak', unit: 'MiB', better: 'less', goal: { atMost: 286 } },
    { name: 'restore', unit: 's', better: 'less' },
    { name: 'RSS of kvorumutl restore, peak', unit: 'MiB', better: 'less', goal: { atMost: 286 } },
  ],
  run: measure,
};

async function measure(bench: Bench): Promise<Record<string, number>> {
  const server = await bench.start();
  const dir = temporaryDir();
  try {
    await fillLarge(server.connect(), bench.of(KEYS));
    await server.reopen();
    const path = join(dir.path, 'backup');
    let serverMiB = 0;
    const save = await runTool(
      [
        'kvorumctl',
        `--endpoints=${server.endpoint}`,
        '--command-timeout=0',
        'snapshot',
        'save',
        path,
      ],
      () => (serverMiB = Math.max(serverMiB, server.memory().rssMiB)),
    );
    const dataDir = `--data-dir=${join(dir.path, 'data')}`;
    const restore = await runTool(['kvorumutl', 'snapshot', 'restore', path, dataDir]);
    return {
      save: save.seconds,
      'RSS of the server while saving, peak': serverMiB,
      'RSS of kvorumctl, peak': save.peakMiB,
      restore: restore.seconds,
      'RSS of kvorumutl restore, peak': restore.peakMiB,
    };
  } finally {
    dir.remove();
  }
}

async function fillLarge(client: Client, keys: number): Promise<void> {
  const plain = { lease: 0n, prevKv: false, ignoreValue: false, ignoreLease: false };
  let next = 0;
  const one = async () => {
    while (next < keys) {
      const n = next++;
      const value = String.fromCharCode(33 + (n % 90)).repeat(VALUE_BYTES);
      await client.kv.put({ key: keyOf(n), value, ...plain });
    }
  };
  await Promise.all(Array.from({ length: FILLING }, one));
}

/** Runs a program of this checkout to its end; rejects unless it succeeds. */
async function runTool([name, ...args]: [string, ...string[]], sample: () => void = () => {}) {
  const begin = performance.now();
  const child = spawn(process.execPath, [join(root, 'bin', name), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let peakMiB = 0;
  const timer = setInterval(() => {
    peakMiB = Math.max(peakMiB, highWaterMiB(child.pid ?? -1) ?? 0);
    sample();
  }, SAMPLE_MS);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(timer);
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
  return { seconds: (performance.now() - begin) / 1000, peakMiB };
}

/** Undefined once the process has ended. */
function highWaterMiB(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
  } catch {
    return undefined;
  }
}
