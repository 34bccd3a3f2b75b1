/** Entries of bucket `key` as etcd writes them. */
import { Buffer } from 'node:buffer';
import type { BoltPair } from '../../../src/bolt/index.js';

export function keyRecord(main: number, sub: number, key: string, value: string): BoltPair {
  const record = [
    field(1, Buffer.from(key)),
    number(2, main),
    number(3, main),
    number(4, 1),
    field(5, Buffer.from(value)),
  ];
  return [revisionKey(main, sub), Buffer.concat(record)];
}

export function tombstone(main: number, sub: number, key: string): BoltPair {
  return [revisionKey(main, sub) + 't', field(1, Buffer.from(key))];
}

function revisionKey(main: number, sub: number): string {
  const bytes = Buffer.alloc(17, '_');
  bytes.writeBigInt64BE(BigInt(main), 0);
  bytes.writeBigInt64BE(BigInt(sub), 9);
  return bytes.toString('latin1');
}

/** proto3: an empty field is omitted. */
function field(number: number, bytes: Uint8Array): Buffer {
  if (bytes.length === 0) return Buffer.alloc(0);
  return Buffer.concat([Buffer.from([number * 8 + 2, ...varint(bytes.length)]), bytes]);
}

function number(field: number, value: number): Buffer {
  return Buffer.from([field * 8, ...varint(value)]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return [...bytes, value];
}
