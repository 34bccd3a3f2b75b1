/** Plain HTTP on the client port: /version, /health, /livez, /readyz and /metrics (server.md 3). */
import { AlarmType } from '../api/index.js';
import { answerChecks } from './health-checks.js';
import type { Member } from './member.js';
import { readFailure } from './read-failure.js';
import type { HttpReply, HttpRequest } from './rpc.js';
import { versionDocument } from './version-document.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const METRICS_TYPE = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' };

/** What a port for probes and metrics answers; anything else is not found there. */
export const METRICS_PATHS: RegExp = /^\/(metrics|health|(livez|readyz)(\/.*)?)$/;

export async function serveHttp(member: Member, request: HttpRequest): Promise<HttpReply> {
  switch (request.path) {
    case '/version':
      return { status: 200, headers: JSON_TYPE, body: versionDocument(member) };
    case '/health':
      return health(member, request);
    case '/metrics':
      return { status: 200, headers: METRICS_TYPE, body: member.metrics.registry.page() };
    default:
      return (await answerChecks(member, request)) ?? { status: 404, body: '404 page not found\n' };
  }
}

async function health(member: Member, { method, query }: HttpRequest): Promise<HttpReply> {
  if (method !== 'GET') {
    return { status: 405, headers: { Allow: 'GET' }, body: 'Method Not Allowed\n' };
  }
  const serializable = query.get('serializable') === 'true';
  const reason =
    alarmReason(member, query.getAll('exclude')) ??
    (serializable || member.leader !== 0n ? undefined : 'RAFT NO LEADER') ??
    (await readReason(member, serializable));
  const { healthSuccesses, healthFailures } = member.metrics;
  (reason === undefined ? healthSuccesses : healthFailures).value++;
  const answer = { health: reason === undefined ? 'true' : 'false', reason: reason ?? '' };
  return { status: reason === undefined ? 200 : 503, body: JSON.stringify(answer) };
}

function alarmReason(member: Member, excluded: readonly string[]): string | undefined {
  for (const { alarm } of member.alarms.list(AlarmType.none)) {
    const name =
      alarm === AlarmType.noSpace ? 'NOSPACE' : alarm === AlarmType.corrupt ? 'CORRUPT' : 'UNKNOWN';
    if (excluded.includes(name)) continue;
    member.log('warn', 'serving /health false due to an alarm', { alarm: name });
    return `ALARM ${name}`;
  }
  return undefined;
}

async function readReason(member: Member, serializable: boolean): Promise<string | undefined> {
  const failure = await readFailure(member, serializable);
  return failure === undefined ? undefined : `RANGE ERROR:${failure}`;
}
