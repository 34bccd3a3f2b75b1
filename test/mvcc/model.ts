/** The slow twin of the store: the whole keyspace, copied, for every revision. */
import type { Event, KeyValue } from '../../src/api/index.js';

export class Model {
  /** State after each revision, from revision 1 (empty). */
  readonly states: ReadonlyMap<string, KeyValue>[] = [new Map(), new Map()];
  /** Events of each revision, in order. */
  readonly events: Event[][] = [[], []];
  compactRevision = -1;

  get revision(): number {
    return this.states.length - 1;
  }

  get current(): ReadonlyMap<string, KeyValue> {
    return this.states.at(-1)!;
  }

  /** Runs `change` as one revision; there is none if it changes nothing. */
  write(change: (write: ModelWrite) => void): void {
    const write = new ModelWrite(new Map(this.current), this.revision + 1);
    change(write);
    if (write.events.length === 0) return;
    this.states.push(write.state);
    this.events.push(write.events);
  }

  /** Pairs of [key, end) at `revision`, in byte order. */
  range(key: string, end: string, revision: number): KeyValue[] {
    return [...this.states[revision]!.values()]
      .filter((pair) => key <= pair.key && pair.key < end)
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** The pair before an event, if a reader may still know it. */
  previous(event: Event, compactRevision: number): KeyValue | undefined {
    const revision = event.kv.modRevision - 1;
    return revision < compactRevision ? undefined : this.states[revision]!.get(event.kv.key);
  }
}

export class ModelWrite {
  readonly events: Event[] = [];

  constructor(
    readonly state: Map<string, KeyValue>,
    readonly revision: number,
  ) {}

  put(key: string, value: string, lease = 0n): void {
    const before = this.state.get(key);
    const kv: KeyValue = {
      key,
      createRevision: before?.createRevision ?? this.revision,
      modRevision: this.revision,
      version: (before?.version ?? 0) + 1,
      value,
      lease,
    };
    this.state.set(key, kv);
    this.events.push({ type: 'put', kv });
  }

  deleteRange(key: string, end: string): void {
    for (const found of [...this.state.keys()].sort()) {
      if (found < key || found >= end) continue;
      this.state.delete(found);
      const kv = {
        key: found,
        createRevision: 0,
        modRevision: this.revision,
        version: 0,
        value: '',
        lease: 0n,
      };
      this.events.push({ type: 'delete', kv });
    }
  }
}
