/**
 * Raised alarms: (member, kind) pairs in bucket `alarm`, changed only by applied entries. NOSPACE makes
 * writes refused, CORRUPT nearly everything (semantics.md 6).
 */
import { AlarmAction, type AlarmMember, type AlarmRequest, AlarmType } from '../api/index.js';
import type { Backend } from '../backend/index.js';
import { bytesFromLatin1, latin1FromBytes } from '../bytes/index.js';
import { alarmMember as alarmMemberCodec } from '../codec/index.js';

const EMPTY = new Uint8Array(0);

export class Alarms {
  readonly #backend: Backend;
  readonly #raised = new Map<string, AlarmMember>();

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async load(): Promise<void> {
    this.#raised.clear();
    const pairs = await this.#backend.scan('alarm', { from: '', limit: Number.MAX_SAFE_INTEGER });
    for (const [key] of pairs) this.#raised.set(key, alarmMemberCodec.decode(bytesFromLatin1(key)));
  }

  get count(): number {
    return this.#raised.size;
  }

  /** Those of one kind, or all for {@link AlarmType}.none. */
  list(alarm: number): AlarmMember[] {
    return [...this.#raised.values()].filter(
      (raised) => alarm === AlarmType.none || raised.alarm === alarm,
    );
  }

  isRaised(alarm: number): boolean {
    return this.list(alarm).length > 0;
  }

  /** What the Alarm request answers; raising and clearing take effect at once. */
  apply(request: AlarmRequest): AlarmMember[] {
    if (request.action === AlarmAction.activate) return this.#activate(request);
    if (request.action === AlarmAction.deactivate) return this.#deactivate(request);
    return request.action === AlarmAction.get ? this.list(request.alarm) : [];
  }

  #activate({ memberId, alarm }: AlarmRequest): AlarmMember[] {
    if (alarm === AlarmType.none) return [];
    const raised = { memberId, alarm };
    this.#raised.set(keyOf(raised), raised);
    this.#backend.put('alarm', keyOf(raised), EMPTY);
    return [raised];
  }

  #deactivate({ memberId, alarm }: AlarmRequest): AlarmMember[] {
    const key = keyOf({ memberId, alarm });
    if (!this.#raised.delete(key)) return [];
    this.#backend.delete('alarm', key);
    return [{ memberId, alarm }];
  }
}

/** The bucket key is the encoded AlarmMember itself. */
function keyOf(alarm: AlarmMember): string {
  return latin1FromBytes(alarmMemberCodec.encode(alarm));
}
