/** A cluster for workloads in unit tests: one machine that answers at once, and forgets nothing. */
import type { Event, Member, WatchCreateRequest, WatchResponse } from '../../../src/api/index.js';
import type { OperationKind, OperationTypes, Outcome } from '../../../src/sim/history.js';
import type { OpenWatch, WatchListener, WorkloadClient } from '../../../src/sim/workloads/index.js';
import { Story, type StoryWatch, header } from '../checkers/story.js';

type Call = { [Kind in OperationKind]: [Kind, OperationTypes[Kind]['request']] }[OperationKind];

interface OpenStream {
  readonly watch: StoryWatch;
  readonly listener: WatchListener;
  position: number;
  isCreated: boolean;
}

export class FakeCluster {
  readonly story = new Story();
  readonly streams = new Set<OpenStream>();
  /** What was asked, in order. */
  readonly calls: Call[] = [];
  members: Member[] = [1n, 2n, 3n].map(makeMember);
  leader = 1n;
  stopping = false;
  /** Loses the answer of every so-manieth operation; 0 loses none. */
  loseEvery = 0;
  #asked = 0;

  client(id = 1): WorkloadClient {
    const isStopping = () => this.stopping;
    return {
      id,
      call: (_place, kind, request) => this.#call(kind, request),
      watch: (_place, watcherId, request, listener) => this.#watch(watcherId, request, listener),
      memberAt: (place) => this.members[place % this.members.length]!.id,
      peerUrlsFor: (slot) => [`http://slot${slot}`],
      sleep: async (delayMs) => {
        this.story.nowMs += delayMs;
        await Promise.resolve();
      },
      get stopping() {
        return isStopping();
      },
    };
  }

  /** Brings every watch up to date, an answer a revision. */
  deliver(): void {
    const { revision } = this.story.machine;
    for (const stream of this.streams) {
      if (!stream.isCreated) continue;
      for (; stream.position <= revision; stream.position++) {
        const events = stream.watch.wanted(stream.position);
        if (events.length > 0) this.#arrive(stream, { events }, stream.position);
      }
    }
  }

  /** Every connection breaks. */
  disconnect(): void {
    for (const stream of this.streams) this.#end(stream, 'lost');
  }

  /** Every watch is told that its history is gone. */
  cancelCompacted(compactRevision: number): void {
    for (const stream of this.streams) {
      this.#arrive(stream, { canceled: true, compactRevision }, 0);
      this.#end(stream, 'canceled');
    }
  }

  #end(stream: OpenStream, why: 'lost' | 'canceled'): void {
    this.streams.delete(stream);
    stream.watch.ended(why);
    stream.listener.ended();
  }

  async #call<Kind extends OperationKind>(
    kind: Kind,
    request: OperationTypes[Kind]['request'],
  ): Promise<Outcome<OperationTypes[Kind]['response']>> {
    await Promise.resolve();
    this.calls.push([kind, request] as Call);
    const { story } = this;
    const id = story.begin(kind, request);
    story.nowMs += 1;
    this.#asked++;
    const outside = this.#answerOutside(kind);
    if (outside === undefined) story.execute(id);
    if (this.loseEvery > 0 && this.#asked % this.loseEvery === 0) story.lose(id);
    else if (outside === undefined) story.end(id);
    else story.end(id, { kind: 'ok', response: outside });
    this.deliver();
    const outcome = story.recorder.operations[id]!.outcome;
    return outcome as Outcome<OperationTypes[Kind]['response']>;
  }

  /** What the reference machine does not know of. */
  #answerOutside(kind: OperationKind): unknown {
    const { members, leader } = this;
    switch (kind) {
      case 'memberList':
      case 'memberAdd':
      case 'memberRemove':
      case 'memberUpdate':
      case 'memberPromote':
        return { header: header(0), members };
      case 'status':
        return { header: header(1), leader };
      case 'moveLeader':
        return {};
      case 'hashKv': {
        const { revision } = this.story.machine;
        return {
          header: header(revision),
          hash: revision,
          compactRevision: -1,
          hashRevision: revision,
        };
      }
      case 'leaseTimeToLive':
        return { header: header(1), id: 1n, ttl: 0, grantedTtl: 1, keys: [] };
      case 'leaseLeases':
        return { header: header(1), leases: [] };
      default:
        return undefined;
    }
  }

  #watch(watcherId: number, request: WatchCreateRequest, listener: WatchListener): OpenWatch {
    const watch = this.story.watch(request.key, request, watcherId);
    const start = Number(request.startRevision);
    const { revision } = this.story.machine;
    const position = start > 0 ? start : revision + 1;
    const stream: OpenStream = { watch, listener, position, isCreated: false };
    this.streams.add(stream);
    // Answers never come inside the call that asks.
    queueMicrotask(() => {
      if (!this.streams.has(stream)) return;
      stream.isCreated = true;
      this.#arrive(stream, { created: true }, revision);
      this.deliver();
    });
    return {
      requestProgress: () => {
        this.deliver();
        if (stream.isCreated) this.#arrive(stream, {}, this.story.machine.revision);
      },
      cancel: () => {
        if (this.streams.delete(stream)) watch.ended('client');
      },
    };
  }

  #arrive(stream: OpenStream, fields: Partial<WatchResponse>, revision: number): void {
    const response: WatchResponse = {
      header: header(revision),
      watchId: 0n,
      created: false,
      canceled: false,
      compactRevision: 0,
      cancelReason: '',
      fragment: false,
      events: [] satisfies Event[],
      ...fields,
    };
    stream.watch.arrive(response, revision);
    stream.listener.response(response);
  }
}

export function makeMember(id: bigint): Member {
  return { id, name: `m${id}`, peerUrls: [`http://m${id}`], clientUrls: [], isLearner: false };
}
