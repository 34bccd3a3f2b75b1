/** --feature-gates: `InitialCorruptCheck=true,LeaseCheckpoint=false`, as etcd 3.6 and Kubernetes write it. */
import { parseBool } from './go-text/numbers.js';
import { OptionsError } from './options-error.js';

/** etcd's gates and their defaults. */
const GATES: ReadonlyMap<string, boolean> = new Map([
  ['AllAlpha', false],
  ['AllBeta', false],
  ['StopGRPCServiceOnDefrag', false],
  ['InitialCorruptCheck', false],
  ['CompactHashCheck', false],
  ['TxnModeWriteWithSharedBuffer', true],
  ['LeaseCheckpoint', false],
  ['LeaseCheckpointPersist', false],
  ['SetMemberLocalAddr', false],
  ['FastLeaseKeepAlive', true],
  ['PriorityRequest', false],
]);

/** Gates that open something here. */
const HEEDED = new Set(['InitialCorruptCheck', 'CompactHashCheck']);

export interface FeatureGates {
  readonly initialCorruptCheck: boolean;
  readonly compactHashCheck: boolean;
  /** Gates that were set to another value than their default and do nothing here. */
  readonly withoutEffect: readonly string[];
}

/** Throws an {@link OptionsError}. */
export function parseFeatureGates(text: string): FeatureGates {
  const set = new Map(text.split(',').filter(Boolean).map(parseGate));
  const others = [...set].filter(([name, on]) => !HEEDED.has(name) && on !== GATES.get(name));
  return {
    initialCorruptCheck: set.get('InitialCorruptCheck') ?? false,
    compactHashCheck: set.get('CompactHashCheck') ?? false,
    withoutEffect: others.map(([name]) => name),
  };
}

function parseGate(text: string): [name: string, on: boolean] {
  const [name = '', value] = text.split('=').map((part) => part.trim());
  if (value === undefined) throw new OptionsError(`missing bool value for ${name}`);
  if (!GATES.has(name)) throw new OptionsError(`unrecognized feature gate: ${name}`);
  try {
    return [name, parseBool(value)];
  } catch (error) {
    throw new OptionsError(`invalid value of ${name}=${value}, err: parse error`, { cause: error });
  }
}
