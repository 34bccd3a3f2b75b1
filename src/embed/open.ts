/** Opens a store in this program. */
import {
  type Clock,
  DEFAULT_CONFIG,
  type Logger,
  Member,
  type MemberConfig,
  type PeerNetwork,
  type Random,
  createServices,
} from '../server/index.js';
import { openDisk, openMemoryDisk } from '../storage/index.js';
import { realClock, realRandom } from '../transport/index.js';
import { Kvorum } from './kvorum.js';
import { LocalSwitch } from './local-network.js';

export interface OpenOptions extends Partial<MemberConfig> {
  /** Where the store lives on disk; made if missing. One process at a time. */
  dataDir?: string;
  /** Keep everything in memory instead: nothing survives. */
  memory?: boolean;
  /** Log lines; none by default. */
  logger?: Logger;
  /** How to reach other members; alone by default. */
  network?: PeerNetwork;
  clock?: Clock;
  random?: Random;
}

/**
 * Opens a store and resolves when it can be read and written. Give `dataDir` or `memory: true`.
 * Rejects with a StorageError (locked, corrupt, disk refuses) or a StartError; nothing is left open then.
 */
export async function open(options: OpenOptions): Promise<Kvorum> {
  const store = await openMember(options);
  await store.member.ready;
  return store;
}

/** The same without waiting for a leader: members of one cluster are opened together. */
export async function openMember(options: OpenOptions): Promise<Kvorum> {
  const { dataDir, memory, logger, network, clock = realClock, random = realRandom } = options;
  if ((dataDir === undefined) === (memory !== true)) {
    throw new TypeError('open() needs either a dataDir or memory: true');
  }
  const config = configOf(options);
  const disk = dataDir === undefined ? openMemoryDisk() : await openDisk(dataDir);
  try {
    const member = await Member.start(config, {
      clock,
      random,
      disk,
      network: network ?? new LocalSwitch(clock).connect(config.peerUrls),
      log: logger ?? (() => {}),
    });
    return new Kvorum(member, createServices(member), () => disk.close());
  } catch (error) {
    await disk.close();
    throw error;
  }
}

function configOf(options: OpenOptions): MemberConfig {
  const config = { ...DEFAULT_CONFIG };
  for (const name of Object.keys(DEFAULT_CONFIG) as (keyof MemberConfig)[]) {
    if (options[name] !== undefined) Object.assign(config, { [name]: options[name] });
  }
  return config;
}
