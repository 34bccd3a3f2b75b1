/**
 * Writes a bbolt file as a stream whose size is known before its first byte.
 *
 * The source is walked twice: to plan (where does each page go, how many are there), then to write.
 * Both walks run the same layout, so nothing of the plan is kept but its result, and memory does not
 * grow with the file. The file has no list of free pages (it has none), as etcd's have not, no inline
 * buckets, and ends with its last page, the directory of buckets.
 */
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import { crc32cLatin1 } from '../bytes/index.js';
import type { BoltSource } from './bolt-source.js';
import { BoltError } from './errors.js';
import {
  BUCKET_HEADER_BYTES,
  DEFAULT_PAGE_SIZE,
  MAX_KEY_BYTES,
  MAX_VALUE_BYTES,
} from './format.js';
import { encodeMetaPage, writeUint64 } from './format.js';
import { PageWriter } from './page-writer.js';
import type { Node } from './tree-layout.js';
import { TreeLayout } from './tree-layout.js';

export interface BoltWriteOptions {
  /** Bytes, a power of two from 1,024 to 65,536; 4,096 if not given. Readers take it from the file. */
  pageSize?: number;
  /** Transaction id of the newer meta, at least 1; 2 if not given. */
  txid?: bigint;
}

export interface BoltPlan {
  /** Exactly what {@link write} gives. */
  readonly sizeBytes: number;
  /**
   * The file, front to back, in chunks of about 128 KiB which the consumer owns. Rejects with
   * SOURCE_CHANGED when the source differs from what was planned, always before the last chunk.
   */
  write(): AsyncIterable<Uint8Array>;
}

/** Walks `source` once. Rejects with BAD_SOURCE when a bbolt file cannot hold it. */
export async function planBoltFile(
  source: BoltSource,
  options: BoltWriteOptions = {},
): Promise<BoltPlan> {
  const { pageSize = DEFAULT_PAGE_SIZE, txid = 2n } = options;
  checkOptions(pageSize, txid);
  const walk = new FileWalk(source, pageSize, undefined);
  // Without output it yields nothing: one step takes it to its end.
  await walk.run().next();
  const planned = walk.outcome();
  return {
    sizeBytes: planned.highWater * pageSize,
    write: () => writePlanned(source, pageSize, txid, planned),
  };
}

function checkOptions(pageSize: number, txid: bigint): void {
  const exponent = Math.log2(pageSize);
  if (!Number.isInteger(exponent) || exponent < 10 || exponent > 16) {
    throw new RangeError(`page size ${pageSize}: not a power of two from 1024 to 65536`);
  }
  if (txid < 1n) throw new RangeError(`transaction id ${txid}: below 1`);
}

async function* writePlanned(
  source: BoltSource,
  pageSize: number,
  txid: bigint,
  planned: Outcome,
): AsyncGenerator<Uint8Array> {
  const { root, highWater } = planned;
  const pages = new PageWriter(pageSize);
  const meta = { pageSize, root, highWater, freelist: undefined };
  pages.writeRaw(encodeMetaPage(0, { ...meta, txid }));
  pages.writeRaw(encodeMetaPage(1, { ...meta, txid: txid - 1n }));
  const walk = new FileWalk(source, pageSize, { pages, highWater });
  yield* walk.run();
  if (!isDeepStrictEqual(walk.outcome(), planned)) throw changed();
  yield* pages.takeRest();
}

function changed(): BoltError {
  return new BoltError('SOURCE_CHANGED', 'the source changed while its bolt file was written');
}

/** What a walk comes to; that of the second must be that of the first. */
interface Outcome {
  root: number;
  highWater: number;
  /** Checksums of all names and keys, and of all values. */
  keySum: number;
  valueSum: number;
}

interface Output {
  pages: PageWriter;
  /** Of the plan. */
  highWater: number;
}

class FileWalk {
  readonly #source: BoltSource;
  readonly #pageSize: number;
  readonly #output: Output | undefined;
  #nextPage = 2;
  #root = 0;
  #keySum = 0;
  #valueSum = 0;

  constructor(source: BoltSource, pageSize: number, output: Output | undefined) {
    this.#source = source;
    this.#pageSize = pageSize;
    this.#output = output;
  }

  outcome(): Outcome {
    return {
      root: this.#root,
      highWater: this.#nextPage,
      keySum: this.#keySum,
      valueSum: this.#valueSum,
    };
  }

  /** Yields the chunks of the output that are full. */
  async *run(): AsyncGenerator<Uint8Array> {
    const directory = this.#layout(true);
    let last: string | undefined;
    for (const name of this.#source.buckets()) {
      checkKey(name, last, 'bucket');
      last = name;
      this.#keySum = crc32cLatin1(name, this.#keySum);
      directory.add(name, bucketHeader(yield* this.#runBucket(name)));
    }
    this.#root = directory.finish();
  }

  async *#runBucket(bucket: string): AsyncGenerator<Uint8Array, number> {
    const layout = this.#layout(false);
    const what = `${bucket}: key`;
    let last: string | undefined;
    for await (const chunk of this.#source.pairs(bucket)) {
      for (const [key, value] of chunk) {
        checkKey(key, last, what);
        checkValue(value, bucket);
        last = key;
        this.#keySum = crc32cLatin1(key, this.#keySum);
        this.#valueSum = crc32(value, this.#valueSum);
        layout.add(key, value);
        if (this.#output?.pages.hasReady) yield* this.#output.pages.takeReady();
      }
    }
    return layout.finish();
  }

  #layout(buckets: boolean): TreeLayout {
    return new TreeLayout(this.#pageSize, (node) => this.#place(node, buckets));
  }

  #place(node: Node, buckets: boolean): number {
    const pageId = this.#nextPage;
    this.#nextPage += Math.ceil(node.bytes / this.#pageSize);
    if (this.#output) {
      if (this.#nextPage > this.#output.highWater) throw changed();
      this.#output.pages.writeNode(pageId, node, buckets);
    }
    return pageId;
  }
}

function bucketHeader(root: number): Uint8Array {
  const header = new Uint8Array(BUCKET_HEADER_BYTES);
  writeUint64(new DataView(header.buffer), 0, root);
  return header;
}

function checkKey(key: string, last: string | undefined, what: string): void {
  if (last !== undefined && key <= last) throw badSource(`${what} ${hex(key)}: not above the last`);
  if (key.length < 1 || key.length > MAX_KEY_BYTES) {
    throw badSource(`${what} of ${key.length} bytes: 1 to ${MAX_KEY_BYTES} are possible`);
  }
}

function checkValue(value: Uint8Array, bucket: string): void {
  if (value.length > MAX_VALUE_BYTES) {
    throw badSource(`${bucket}: value of ${value.length} bytes: at most ${MAX_VALUE_BYTES}`);
  }
}

function badSource(problem: string): BoltError {
  return new BoltError('BAD_SOURCE', problem);
}

function hex(key: string): string {
  return Array.from(key.slice(0, 40), (c) => c.charCodeAt(0).toString(16).padStart(2, '0')).join(
    '',
  );
}
