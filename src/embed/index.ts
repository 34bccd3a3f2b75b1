/** The library: `import { open } from 'kvorum'`. */
export {
  Kvorum,
  type ListenOptions,
  type PortOptions,
  type PutOptions,
  type RangeOptions,
  type ReadOptions,
} from './kvorum.js';
export { type OpenOptions, open, openMember } from './open.js';
export { LocalSwitch } from './local-network.js';
export { type Bytes, Pair } from './pair.js';
export type { WatchChange, WatchEvents, WatchOptions } from './watch.js';
export { Code, EtcdError, type EtcdErrorName } from '../api/index.js';
export { StorageError, type StorageErrorCode } from '../storage/index.js';
export {
  type Clock,
  DEFAULT_CONFIG,
  type Listener,
  type Logger,
  type LogLevel,
  type MemberConfig,
  type PeerNetwork,
  type Random,
  RestoreError,
  StartError,
  type Timer,
} from '../server/index.js';
export { realClock, realRandom, type TlsSettings, TlsSettingsError } from '../transport/index.js';
