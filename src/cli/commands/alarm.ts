/** `alarm list | disarm` */
import { AlarmAction, AlarmType, type AlarmResponse } from '../../api/index.js';
import { badArgs } from '../exit.js';
import type { ParsedFlags } from '../flag-set.js';
import { result, type Output } from '../output.js';
import type { Session } from '../session.js';

const ALL = { action: AlarmAction.get, memberId: 0n, alarm: AlarmType.none };

export async function* list({ positional }: ParsedFlags, session: Session): AsyncGenerator<Output> {
  if (positional.length > 0) throw badArgs('alarm list command accepts no arguments');
  const timed = session.timed();
  const { maintenance } = await session.client();
  yield result({ kind: 'alarms', response: await maintenance.alarm(ALL, timed) });
}

/** Clears the alarms that are raised, one by one; the answer names them and has no header. */
export async function* disarm(
  { positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  if (positional.length > 0) throw badArgs('alarm disarm command accepts no arguments');
  const timed = session.timed();
  const { maintenance } = await session.client();
  const raised = await maintenance.alarm(ALL, timed);
  const cleared: AlarmResponse = { alarms: [] };
  for (const alarm of raised.alarms) {
    const request = { ...alarm, action: AlarmAction.deactivate };
    cleared.alarms.push(...(await maintenance.alarm(request, timed)).alarms);
  }
  yield result({ kind: 'alarms', response: cleared });
}
