/** Plain HTTP on the client port: /version and /health (server.md 3). */
import { AlarmType, SortOrder, SortTarget, isEtcdError } from '../api/index.js';
import type { Member } from './member.js';
import type { HttpReply, HttpRequest } from './rpc.js';
import { versionDocument } from './version-document.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

export async function serveHttp(member: Member, request: HttpRequest): Promise<HttpReply> {
  switch (request.path) {
    case '/version':
      return { status: 200, headers: JSON_TYPE, body: versionDocument(member) };
    case '/health':
      return health(member, request);
    default:
      return { status: 404, body: '404 page not found\n' };
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
  const answer = { health: reason === undefined ? 'true' : 'false', reason: reason ?? '' };
  return { status: reason === undefined ? 200 : 503, body: JSON.stringify(answer) };
}

function alarmReason(member: Member, excluded: readonly string[]): string | undefined {
  for (const { alarm } of member.alarms.list(AlarmType.none)) {
    const name =
      alarm === AlarmType.noSpace ? 'NOSPACE' : alarm === AlarmType.corrupt ? 'CORRUPT' : 'UNKNOWN';
    if (!excluded.includes(name)) return `ALARM ${name}`;
  }
  return undefined;
}

async function readReason(member: Member, serializable: boolean): Promise<string | undefined> {
  try {
    if (!serializable) await member.linearizableRead();
    member.store.range(ONE_KEY);
    return undefined;
  } catch (error) {
    return `RANGE ERROR:${isEtcdError(error) ? error.message : 'internal error'}`;
  }
}

const ONE_KEY = {
  key: 'a',
  rangeEnd: '',
  limit: 1,
  revision: 0,
  sortOrder: SortOrder.none,
  sortTarget: SortTarget.key,
  serializable: true,
  keysOnly: false,
  countOnly: false,
  minModRevision: 0,
  maxModRevision: 0,
  minCreateRevision: 0,
  maxCreateRevision: 0,
};
