/**
 * Maintenance.Snapshot: the keyspace at one revision as a bbolt file in pieces, then the SHA-256 of
 * them all. Writes go on meanwhile; memory does not depend on the size; a client that goes away frees
 * the view at once.
 */
import { createHash } from 'node:crypto';
import type { SnapshotResponse } from '../../api/index.js';
import { planBoltFile } from '../../bolt/index.js';
import type { EmptyMessage } from '../../codec/index.js';
import type { Member } from '../member.js';
import type { StreamReader, StreamWriter } from '../rpc.js';
import { boltSourceOf } from '../snapshot-source.js';
import { asRefusal } from './methods.js';

/** etcd's piece size. */
const PIECE_BYTES = 32 * 1024;

export function streamSnapshot(
  member: Member,
  out: StreamWriter<SnapshotResponse>,
): StreamReader<EmptyMessage> {
  const state = { cancelled: false, wake: () => {} };
  out.onDrain(() => state.wake());
  return {
    message: () => {
      send(member, out, state).then(
        () => out.end(),
        (error: unknown) => {
          member.log('warn', 'failed to send database snapshot to client', {
            error: String(error),
          });
          out.end(asRefusal(error));
        },
      );
    },
    halfClose: () => {},
    cancel: () => {
      state.cancelled = true;
      state.wake();
    },
  };
}

interface SendState {
  cancelled: boolean;
  wake: () => void;
}

async function send(
  member: Member,
  out: StreamWriter<SnapshotResponse>,
  state: SendState,
): Promise<void> {
  member.markApplied();
  const view = member.backend.snapshot();
  try {
    const plan = await planBoltFile(boltSourceOf(view));
    const fields = { 'total-bytes': plan.sizeBytes };
    member.log('info', 'sending database snapshot to client', fields);
    const hash = createHash('sha256');
    let remainingBytes = plan.sizeBytes;
    for await (const chunk of plan.write()) {
      hash.update(chunk);
      for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
        const blob = chunk.subarray(start, start + PIECE_BYTES);
        remainingBytes -= blob.length;
        await write({ remainingBytes, blob });
        if (state.cancelled) return;
      }
    }
    await write({ remainingBytes: 0, blob: hash.digest() });
    member.log('info', 'successfully sent database snapshot to client', fields);
  } finally {
    await view.close();
  }

  async function write(piece: { remainingBytes: number; blob: Uint8Array }): Promise<void> {
    const room = out.write({ ...piece, version: member.storageVersion });
    if (room || state.cancelled) return;
    await new Promise<void>((resolve) => (state.wake = resolve));
  }
}
