/** /livez and /readyz: probes made of named checks, as Kubernetes asks them (server.md 3). */
import { AlarmType } from '../api/index.js';
import type { Member } from './member.js';
import { readFailure } from './read-failure.js';
import type { HttpReply, HttpRequest } from './rpc.js';

/** Resolves to why it fails, or to undefined. */
type Check = (member: Member) => string | undefined | Promise<string | undefined>;

const CHECKS = {
  data_corruption: (member: Member) =>
    member.alarms.isRaised(AlarmType.corrupt) ? 'alarm activated: CORRUPT' : undefined,
  serializable_read: (member: Member) => readFailure(member, true),
  linearizable_read: (member: Member) => readFailure(member, false),
  non_learner: (member: Member) => (member.isLearner ? 'learner' : undefined),
} satisfies Record<string, Check>;

type CheckName = keyof typeof CHECKS;

const PROBES: Readonly<Record<string, readonly CheckName[]>> = {
  livez: ['serializable_read'],
  readyz: ['data_corruption', 'serializable_read', 'linearizable_read', 'non_learner'],
};

const TEXT = {
  'Content-Type': 'text/plain; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
};

/** Undefined for a path that is no probe and no check of one. */
export async function answerChecks(
  member: Member,
  { method, path, query }: HttpRequest,
): Promise<HttpReply | undefined> {
  const [, probe = '', check, ...more] = path.split('/');
  const all = Object.hasOwn(PROBES, probe) ? PROBES[probe]! : [];
  const names = check === undefined ? all : all.filter((name) => name === check);
  if (names.length === 0 || more.length > 0) return undefined;
  if (method !== 'GET') {
    return { status: 405, headers: { Allow: 'GET', ...TEXT }, body: 'Method Not Allowed\n' };
  }
  const excluded = check === undefined ? query.getAll('exclude') : [];
  warnOfUnknown(member, probe, excluded, all);
  const wanted = names.filter((name) => !excluded.includes(name));
  return reply(await run(member, probe, wanted), query.has('verbose'));
}

interface Outcome {
  readonly name: string;
  readonly failure: string | undefined;
}

function run(member: Member, probe: string, names: readonly CheckName[]): Promise<Outcome[]> {
  return Promise.all(
    names.map(async (name) => {
      const failure = await CHECKS[name](member);
      const status = failure === undefined ? 'success' : 'error';
      member.metrics.healthchecks.with(probe, name, status).value++;
      member.metrics.lastHealthchecks.set(`${probe}/${name}`, failure === undefined ? 1 : 0);
      return { name, failure };
    }),
  );
}

function reply(outcomes: readonly Outcome[], verbose: boolean): HttpReply {
  const failed = outcomes.some(({ failure }) => failure !== undefined);
  const lines = outcomes.map(({ name, failure }) =>
    failure === undefined ? `[+]${name} ok\n` : `[-]${name} failed: ${failure}\n`,
  );
  if (failed) return { status: 503, headers: TEXT, body: `${lines.join('')}\n` };
  return { status: 200, headers: TEXT, body: `${verbose ? lines.join('') : ''}ok\n` };
}

function warnOfUnknown(
  member: Member,
  probe: string,
  excluded: readonly string[],
  known: readonly string[],
): void {
  for (const name of excluded.filter((one) => !known.includes(one))) {
    member.log('warn', 'some health checks cannot be excluded', {
      path: `/${probe}`,
      'missing-health-check': name,
    });
  }
}
