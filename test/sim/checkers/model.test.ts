/** The reference model beside the store and the lessor that ship. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EtcdError, type InternalOp } from '../../../src/api/index.js';
import { MemoryBackend } from '../../../src/backend/index.js';
import { Lessor } from '../../../src/lease/index.js';
import { Store, checkTxn } from '../../../src/mvcc/index.js';
import { executeRange, executeWrite } from '../../../src/sim/checkers/model.js';
import { ReferenceMachine } from '../../../src/sim/checkers/true-history.js';
import { internalOp, rangeOp } from './arbitraries.js';

interface Shipped {
  store: Store;
  lessor: Lessor;
}

async function openShipped(): Promise<Shipped> {
  const backend = new MemoryBackend();
  const lessor = await Lessor.open(backend, { minTtlSeconds: 2 });
  const yieldTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const store = await Store.open(backend, { leases: lessor, yieldTurn });
  return { store, lessor };
}

type Answered = { response: unknown } | { error: string };

function answer(act: () => unknown): Answered {
  try {
    return { response: act() };
  } catch (error) {
    if (error instanceof EtcdError) return { error: error.name };
    throw error;
  }
}

function applyToShipped({ store, lessor }: Shipped, op: InternalOp): Answered {
  return answer(() => {
    switch (op.kind) {
      case 'put':
        return store.put(op.request);
      case 'deleteRange':
        return store.deleteRange(op.request);
      case 'txn':
        return store.txn(op.request);
      case 'compaction':
        store.compact(op.request.revision);
        return undefined;
      case 'leaseGrant':
        lessor.grant(op.request.id, op.request.ttl, 0);
        return undefined;
      case 'leaseRevoke':
        store.deleteKeys(lessor.revoke(op.request.id));
        return undefined;
      default:
        throw new Error(`not generated: ${op.kind}`);
    }
  });
}

function applyToModel(machine: ReferenceMachine, op: InternalOp): Answered {
  const expected = answer(() =>
    op.kind === 'put' || op.kind === 'deleteRange' || op.kind === 'txn'
      ? executeWrite(machine, op).response
      : undefined,
  );
  const error = machine.apply(op);
  return error === undefined ? expected : { error };
}

/** A request that validation lets pass, as every one in a log has. */
function isValid(op: InternalOp): boolean {
  if (op.kind !== 'txn') return true;
  return 'response' in answer(() => checkTxn(op.request, { maxTxnOps: 128 }));
}

test('any log: the same answers, refusals, revisions and pairs as the store', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(internalOp.filter(isValid), { maxLength: 30, size: 'max' }),
      fc.array(rangeOp, { maxLength: 5 }),
      async (ops, reads) => {
        const shipped = await openShipped();
        const machine = new ReferenceMachine();
        for (const op of ops) {
          assert.deepEqual(applyToModel(machine, op), applyToShipped(shipped, op));
          assert.equal(machine.revision, shipped.store.currentRevision);
          for (const read of reads) {
            if (read.kind !== 'range') continue;
            assert.deepEqual(
              answer(() => executeRange(machine, read.request)),
              answer(() => shipped.store.range(read.request)),
            );
          }
        }
        assert.deepEqual(new Set(machine.leases.keys()), new Set(shipped.lessor.leases()));
        await shipped.store.close();
      },
    ),
    { numRuns: 100 },
  );
});
