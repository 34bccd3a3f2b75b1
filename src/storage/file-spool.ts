import { type FileHandle, open, rm } from 'node:fs/promises';
import { diskRefusal } from './errors.js';
import type { Spool } from './spool.js';

/** A spool in a file of its own. */
export class FileSpool implements Spool {
  readonly #path: string;
  readonly #handle: FileHandle;
  #size = 0;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** Makes the file, which must not exist. */
  static async create(path: string): Promise<FileSpool> {
    try {
      return new FileSpool(path, await open(path, 'wx+', 0o600));
    } catch (error) {
      throw diskRefusal('create', path, error);
    }
  }

  get size(): number {
    return this.#size;
  }

  async append(bytes: Uint8Array): Promise<void> {
    const offset = this.#size;
    this.#size += bytes.length;
    try {
      await writeFully(this.#handle, bytes, offset);
    } catch (error) {
      throw diskRefusal('write', this.#path, error);
    }
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const wanted = Math.max(0, Math.min(length, this.#size - offset));
    const bytes = Buffer.allocUnsafe(wanted);
    try {
      let done = 0;
      while (done < wanted) {
        const { bytesRead } = await this.#handle.read(bytes, done, wanted - done, offset + done);
        if (bytesRead === 0) throw new Error('the file has become shorter');
        done += bytesRead;
      }
    } catch (error) {
      throw diskRefusal('read', this.#path, error);
    }
    return bytes;
  }

  async close(): Promise<void> {
    await this.#handle.close();
    await rm(this.#path, { force: true });
  }
}

async function writeFully(handle: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const left = bytes.length - done;
    done += (await handle.write(bytes, done, left, offset + done)).bytesWritten;
  }
}
