/**
 * A disk of a few megabytes, in a mount namespace of its own: it is gone with the process that holds
 * it, and nobody else sees it.
 */
import { spawnSync } from 'node:child_process';
import { Child, run } from './child.js';
import { tempDir } from './temp-dir.js';

/** Why there can be no small disk here, or false. */
export function skipWithoutSmallDisk(): string | false {
  if (process.platform !== 'linux') return 'tmpfs is of Linux';
  const script = 'mount -t tmpfs -o size=1m tmpfs /mnt && nsenter --version';
  const { status } = spawnSync('unshare', ['-m', 'sh', '-c', script], { stdio: 'ignore' });
  return status === 0 ? false : 'mounting a tmpfs is not permitted here';
}

export class SmallDisk {
  /** Where it is mounted, inside the namespace only. */
  readonly path: string;
  readonly #holder: Child;

  private constructor(path: string, holder: Child) {
    this.path = path;
    this.#holder = holder;
  }

  static async mount(mebibytes: number): Promise<SmallDisk> {
    const path = tempDir();
    const script = `mount -t tmpfs -o size=${mebibytes}m tmpfs "$0" && echo mounted && exec sleep 600`;
    const holder = new Child('unshare', ['-m', 'sh', '-c', script, path]);
    await holder.until(() => holder.stdout.includes('mounted'), 5000, 'mount of a tmpfs');
    return new SmallDisk(path, holder);
  }

  /** A command line that runs with the disk in view. */
  wrap(command: readonly string[]): string[] {
    return ['nsenter', '-t', String(this.#holder.pid), '-m', '--', ...command];
  }

  async resize(mebibytes: number): Promise<void> {
    const options = `remount,size=${mebibytes}m`;
    const [command, ...args] = this.wrap(['mount', '-o', options, this.path]) as [string];
    const child = await run(command, args);
    if (child.exit?.code !== 0) throw new Error(child.describe());
  }

  unmount(): void {
    this.#holder.kill('SIGKILL');
  }
}
