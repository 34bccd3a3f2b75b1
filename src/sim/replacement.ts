/**
 * What people do about a disk that is gone: remove the member, add a new one in its place, let it learn,
 * promote it. One disk at a time; the new member has a new id, for the old one's votes are lost.
 */
import type { SimulatedClient } from './client.js';
import type { Node } from './node.js';
import type { World } from './world.js';

const PAUSE_MS = 500;

export class Replacement {
  readonly #world: World;
  readonly #client: SimulatedClient;
  #lost: Node | undefined;
  #isUnderWay = false;

  /** `client` is the one that makes the changes. */
  constructor(world: World, client: SimulatedClient) {
    this.#world = world;
    this.#client = client;
  }

  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** Its disk is gone: it must not be started. */
  isLost(node: Node): boolean {
    return node === this.#lost;
  }

  /** Loses `node`'s disk, unless a quorum could not be spared or another is being replaced. */
  begin(node: Node): void {
    if (this.#isUnderWay || node.id === 0n || !this.#canSpare(node)) return;
    this.#lost = node;
    this.#isUnderWay = true;
    node.crash(true);
    void this.#replace(node);
  }

  /**
   * Every other member must run, and the configuration that it has applied must have a quorum without
   * `node`: one that lags behind a promotion which only `node` knows to be committed needs its vote.
   */
  #canSpare(node: Node): boolean {
    const others = this.#world.members.filter((member) => member !== node);
    const ids = new Set(others.map(({ id }) => id));
    return (
      others.length > 0 &&
      others.every((other) => {
        if (!other.alive) return false;
        const { voters } = other.confState;
        return 2 * voters.filter((id) => ids.has(id)).length > voters.length;
      })
    );
  }

  async #replace(node: Node): Promise<void> {
    const { id } = node;
    const peerUrls = [...node.config.peerUrls];
    await this.#until(
      () => !this.#isMember(id),
      (helper) => this.#client.ask(helper, 'memberRemove', { id }),
    );
    this.#world.retire(node);
    const successor = () =>
      this.#membership().find((member) => member.id !== id && member.peerUrls[0] === peerUrls[0]);
    await this.#until(
      () => successor() !== undefined,
      (helper) => this.#client.ask(helper, 'memberAdd', { peerUrls, isLearner: true }),
    );
    this.#lost = undefined;
    await this.#until(
      () => successor()?.isLearner !== true,
      (helper) => this.#client.ask(helper, 'memberPromote', { id: successor()?.id ?? 0n }),
    );
    this.#isUnderWay = false;
  }

  /** Asks one member after another until the leader's membership says that it is so. */
  async #until(isSo: () => boolean, ask: (helper: Node) => Promise<unknown>): Promise<void> {
    for (let turn = 0; ; turn++) {
      if (this.#world.leader !== undefined && isSo()) return;
      const helpers = this.#world.members.filter((node) => node !== this.#lost);
      await ask(helpers[turn % helpers.length]!);
      await this.#world.loop.sleep(PAUSE_MS);
    }
  }

  #isMember(id: bigint): boolean {
    return this.#membership().some((member) => member.id === id);
  }

  #membership() {
    return this.#world.leader?.member?.membership.list() ?? [];
  }
}
