/** A member that falls so far behind that only a snapshot can help it. */
import assert from 'node:assert/strict';
import type { Kvorum } from '../../../src/embed/index.js';
import { Cluster } from './cluster.js';
import { eventually } from './eventually.js';

export interface Lagging {
  /** The member that will be cut off; it does not lead. */
  readonly lagging: Kvorum;
  /** The leader. */
  readonly writer: Kvorum;
  /** Where both stand at the beginning. */
  readonly revision: number;
  /**
   * Cuts the member off, makes `count` puts of key "k", calls `meanwhile`, joins the member again, and
   * resolves when it has been given a snapshot and all that came after it.
   */
  catchUp(count: number, meanwhile?: () => Promise<void>): Promise<void>;
}

/** Three members that keep next to no log; runs `use` and closes them. */
export function lagUntilSnapshot(use: (situation: Lagging) => Promise<void>): Promise<void> {
  const installed: string[] = [];
  return Cluster.run(
    3,
    async (cluster) => {
      const { store: writer } = await cluster.leader();
      const { store: lagging, network } = await cluster.follower();
      for (let i = 0; i < 20; i++) await writer.put('k', `before ${i}`);
      const { revision } = writer;
      await eventually(() => lagging.revision === revision);
      const catchUp: Lagging['catchUp'] = async (count, meanwhile) => {
        const before = installed.length;
        network.cut = true;
        for (let i = 0; i < count; i++) await writer.put('k', `meanwhile ${i}`);
        await meanwhile?.();
        network.cut = false;
        await eventually(() => lagging.revision >= writer.revision);
        assert.ok(installed.length > before, 'it has caught up without a snapshot');
      };
      await use({ lagging, writer, revision, catchUp });
    },
    {
      snapshotCount: 20,
      snapshotCatchupEntries: 5,
      logger: (_level, message) => {
        if (message === 'applied snapshot') installed.push(message);
      },
    },
  );
}
