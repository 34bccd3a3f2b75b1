/** `endpoint health | status | hashkv`: one member at a time, each asked by itself. */
import { AlarmAction, AlarmType, isEtcdError, type AlarmMember } from '../../api/index.js';
import { latin1FromUtf8, utf8FromLatin1 } from '../../bytes/index.js';
import { rangeOf } from '../../client/index.js';
import { CommandError, ExitCode } from '../exit.js';
import type { ParsedFlags } from '../flag-set.js';
import { formatDuration } from '../go-text/duration.js';
import { describeError } from '../go-text/status.js';
import {
  result,
  warning,
  type EndpointHash,
  type EndpointHealth,
  type EndpointStatus,
  type Output,
} from '../output.js';
import type { Session } from '../session.js';

export async function* status(
  { flags }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output, number> {
  const list: EndpointStatus[] = [];
  let exitCode: number = ExitCode.success;
  for (const endpoint of await endpointsOf(flags.bool('cluster'), session)) {
    try {
      const client = await session.clientFor(endpoint);
      list.push({ endpoint, status: await client.maintenance.status(session.timed()) });
    } catch (error) {
      if (!isEtcdError(error)) throw error;
      exitCode = ExitCode.error;
      yield warning(`Failed to get the status of endpoint ${endpoint} (${describeError(error)})`);
    }
  }
  yield result({ kind: 'endpointStatus', list });
  return exitCode;
}

export async function* hashKv({ flags }: ParsedFlags, session: Session): AsyncGenerator<Output> {
  const list: EndpointHash[] = [];
  let failure: unknown;
  for (const endpoint of await endpointsOf(flags.bool('cluster'), session)) {
    try {
      const client = await session.clientFor(endpoint);
      const request = { revision: flags.int('rev') };
      list.push({ endpoint, hash: await client.maintenance.hashKv(request, session.timed()) });
    } catch (error) {
      if (!isEtcdError(error)) throw error;
      failure = error;
      yield warning(`Failed to get the hash of endpoint ${endpoint} (${describeError(error)})`);
    }
  }
  yield result({ kind: 'endpointHashKv', list });
  if (failure !== undefined) throw failure;
}

export async function* health({ flags }: ParsedFlags, session: Session): AsyncGenerator<Output> {
  const endpoints = await endpointsOf(flags.bool('cluster'), session);
  const list: EndpointHealth[] = [];
  await Promise.all(
    endpoints.map(async (endpoint) => list.push(await healthOf(endpoint, session))),
  );
  if (session.format() === 'simple') yield* healthLines(list);
  else yield result({ kind: 'endpointHealth', list });
  if (list.some(({ healthy }) => !healthy)) {
    throw new CommandError(ExitCode.error, 'unhealthy cluster');
  }
}

function* healthLines(list: readonly EndpointHealth[]): Generator<Output> {
  for (const entry of list) {
    const why = latin1FromUtf8(entry.error);
    yield entry.healthy
      ? result({ kind: 'endpointHealth', list: [entry] })
      : warning(`${entry.endpoint} is unhealthy: failed to commit proposal: ${why}`);
  }
}

/** A linearizable read of a key that need not exist, then the alarms. Took counts the read alone. */
async function healthOf(endpoint: string, session: Session): Promise<EndpointHealth> {
  const client = await session.clientFor(endpoint);
  const timed = session.timed();
  const start = session.host.nanoseconds();
  const readError = await errorOf(client.kv.range(rangeOf('health'), timed));
  const took = formatDuration(session.host.nanoseconds() - start);
  // Being denied is an answer that only a working quorum gives.
  const served = readError === undefined || isEtcdError(readError, 'permissionDenied');
  if (!served) {
    return { endpoint, healthy: false, took, error: utf8FromLatin1(describeError(readError)) };
  }
  try {
    const request = { action: AlarmAction.get, memberId: 0n, alarm: AlarmType.none };
    const { alarms } = await client.maintenance.alarm(request, timed);
    return { endpoint, healthy: alarms.length === 0, took, error: alarmText(alarms) };
  } catch (error) {
    if (!isEtcdError(error)) throw error;
    return { endpoint, healthy: false, took, error: 'Unable to fetch the alarm list' };
  }
}

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (!isEtcdError(error)) throw error;
    return error;
  }
}

function alarmText(alarms: readonly AlarmMember[]): string {
  if (alarms.length === 0) return '';
  return 'Active Alarm(s): ' + alarms.map(({ alarm }) => `${alarmName(alarm)} `).join('');
}

function alarmName(alarm: number): string {
  if (alarm === AlarmType.noSpace) return 'NOSPACE';
  return alarm === AlarmType.corrupt ? 'CORRUPT' : 'UNKNOWN';
}

/** Those given, or with --cluster the client URLs of all members. */
export async function endpointsOf(cluster: boolean, session: Session): Promise<string[]> {
  const client = await session.client();
  if (!cluster) return session.endpoints();
  try {
    const { members } = await client.cluster.memberList({ linearizable: true }, session.timed());
    return members.flatMap(({ clientUrls }) => clientUrls.map(latin1FromUtf8));
  } catch (error) {
    const why = describeError(error);
    throw new CommandError(
      ExitCode.error,
      `failed to fetch endpoints from etcd cluster member list: ${why}`,
      { cause: error },
    );
  }
}
