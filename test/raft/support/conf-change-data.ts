/** How the tests carry configuration changes in entries: JSON; no data at all leaves a joint configuration. */
import {
  ConfChangeTransition,
  type ConfChangeType,
  type ConfChangeV2,
} from '../../../src/raft/index.js';

type Changes = readonly (readonly [type: ConfChangeType, nodeId: bigint])[];

export const NO_DATA = new Uint8Array(0);

export function change(
  changes: Changes,
  transition: ConfChangeV2['transition'] = ConfChangeTransition.auto,
): ConfChangeV2 {
  return {
    transition,
    changes: changes.map(([type, nodeId]) => ({ type, nodeId })),
    context: NO_DATA,
  };
}

export function encodeChange({ transition, changes }: ConfChangeV2): Uint8Array {
  if (changes.length === 0 && transition === ConfChangeTransition.auto) return NO_DATA;
  const pairs = changes.map(({ type, nodeId }) => [type, Number(nodeId)]);
  return new TextEncoder().encode(JSON.stringify({ transition, pairs }));
}

export function decodeChange(data: Uint8Array): ConfChangeV2 {
  if (data.length === 0) return change([]);
  const { transition, pairs } = JSON.parse(new TextDecoder().decode(data)) as {
    transition: ConfChangeV2['transition'];
    pairs: [ConfChangeType, number][];
  };
  return change(
    pairs.map(([type, id]) => [type, BigInt(id)] as const),
    transition,
  );
}
