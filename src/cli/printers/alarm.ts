/** Alarms in words. */
import { AlarmType, type AlarmMember } from '../../api/index.js';

const NAMES: Record<number, string> = {
  [AlarmType.none]: 'NONE',
  [AlarmType.noSpace]: 'NOSPACE',
  [AlarmType.corrupt]: 'CORRUPT',
};

/** etcd's name of an alarm; one it does not know by its number. */
export function alarmName(alarm: number): string {
  return NAMES[alarm] ?? String(alarm);
}

/** protobuf's text form, as etcdctl up to 3.6 prints it: zero fields left out, a blank at the end. */
export function alarmText({ memberId, alarm }: AlarmMember): string {
  const member = memberId === 0n ? '' : `memberID:${memberId} `;
  return member + (alarm === AlarmType.none ? '' : `alarm:${alarmName(alarm)} `);
}
