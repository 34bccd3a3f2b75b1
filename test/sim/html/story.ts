/** A short run made up by hand: its trace, and what clients saw of it. */
import { putRequest, watchRequest } from '../../../src/sim/workloads/requests.js';
import type { Violation } from '../../../src/sim/checkers/violation.js';
import { HistoryRecorder } from '../../../src/sim/history.js';
import { PictureRecorder } from '../../../src/sim/html/picture-recorder.js';
import type { Picture } from '../../../src/sim/html/viewer/picture.js';
import type { SimulationResult } from '../../../src/sim/simulation.js';
import type { Detail, TraceKind } from '../../../src/sim/trace.js';

export class Story {
  readonly recorder = new PictureRecorder();
  atMs = 0;
  readonly history = new HistoryRecorder(() => this.atMs);

  /** Something happens at a millisecond. */
  at(atMs: number, kind: TraceKind, who: string, ...details: Detail[]): this {
    this.atMs = atMs;
    this.recorder.listener({ atUs: atMs * 1000, kind, who, details });
    return this;
  }

  /** A client puts a key; undefined: it never learns what came of it. */
  put(client: number, host: string, key: string, fromMs: number, untilMs?: number): this {
    this.atMs = fromMs;
    const id = this.history.invoke('put', client, 1n, putRequest(key, 'v'));
    this.at(fromMs, 'client', `c${client}`, 'asks', host, 'put', 'operation', id);
    if (untilMs === undefined) return this;
    this.atMs = untilMs;
    const header = { clusterId: 1n, memberId: 1n, revision: 7, raftTerm: 1 };
    this.history.complete<'put'>(id, { kind: 'ok', response: { header } });
    return this.at(untilMs, 'client', `c${client}`, 'operation', id, 'ok');
  }

  watch(client: number, host: string, key: string, fromMs: number, arrivalsMs: number[]): this {
    this.atMs = fromMs;
    const watch = this.history.watch(client, 1, 1n, watchRequest(key));
    this.at(fromMs, 'client', `c${client}`, 'watches', host, 'watcher', 1);
    for (const atMs of arrivalsMs) {
      this.atMs = atMs;
      watch.arrived({
        ...NO_EVENTS,
        header: { clusterId: 1n, memberId: 1n, revision: 8, raftTerm: 1 },
      });
    }
    return this;
  }

  result(endMs: number, violations: readonly Violation[] = []): SimulationResult {
    return {
      violations,
      undecided: [],
      history: this.history,
      traceHash: '0123456789abcdef',
      virtualMs: endMs,
      events: 1,
      operationsDone: 1,
      commitIndex: 1,
    };
  }

  picture(endMs: number, violations: readonly Violation[] = [], maxMessages?: number): Picture {
    const options = { title: 'Seed 7', command: 'npm run sim -- --seed 7' };
    return this.recorder.picture(this.result(endMs, violations), {
      ...options,
      ...(maxMessages !== undefined && { maxMessages }),
    });
  }
}

const NO_EVENTS = {
  watchId: 0n,
  created: false,
  canceled: false,
  compactRevision: 0,
  cancelReason: '',
  fragment: false,
  events: [],
};

/** Three members; the third leads in term 2 and is killed. */
export function leaderKilled(): Story {
  const story = new Story();
  for (const [host, id] of [
    ['n1', 0xaaaaaaaaaaaan],
    ['n2', 0xbbbbbbbbbbbbn],
    ['n3', 0xccccccccccccn],
  ] as const) {
    story.at(0, 'node', host, 'starts', 'incarnation', 0, 'member', id);
    story.at(10, 'role', host, 'follower', 'term', 1);
  }
  return story
    .at(100, 'role', 'n3', 'candidate', 'term', 2)
    .at(100, 'send', 'n3', 1, 'n1', 'vote', 'term', 2)
    .at(103, 'receive', 'n1', 1)
    .at(110, 'role', 'n3', 'leader', 'term', 2)
    .put(1, 'n3', 'a', 150, 180)
    .at(160, 'send', 'n3', 2, 'n1', 'append', 'term', 2, 'index', 4)
    .at(160, 'send', 'n3', 3, 'n2', 'append', 'term', 2, 'index', 4)
    .at(165, 'receive', 'n1', 2)
    .at(170, 'drop', 'n2', 3)
    .at(175, 'commit', 'n3', 5)
    .at(200, 'send', 'n3', 4, 'n2', 'heartbeat', 'term', 2)
    .at(200, 'node', 'n3', 'is killed');
}
