/**
 * What of two answers is not compared: raft terms, lease ids that the server chose, seconds that a
 * lease has left (a second apart is no difference), and orders that etcd does not define.
 */
import type { Answer } from './raw-client.js';
import type { Plain } from './wire.js';

/** What normalising knows of the request and of the server. */
export interface Asked {
  readonly method: string;
  readonly request: Plain;
  /** Ids that this server chose, in order. */
  readonly picked: readonly string[];
}

/** The answer of one server in the form in which both are compared. */
export function normalise(answer: Answer, asked: Asked): Answer {
  if (answer.message === undefined) return answer;
  const message = { ...answer.message };
  if (message.header !== undefined) message.header = withoutTerm(message.header as Plain);
  if (asked.method.startsWith('Lease/')) normaliseLease(message, asked);
  return { message };
}

function withoutTerm(header: Plain): Plain {
  return Object.fromEntries(Object.entries(header).filter(([name]) => name !== 'raft_term'));
}

function normaliseLease(message: Plain, { picked }: Asked): void {
  if (message.ID !== undefined) message.ID = leaseName(message.ID as string, picked);
  if (message.keys !== undefined) message.keys = [...(message.keys as string[])].sort();
  if (message.leases !== undefined) {
    message.leases = (message.leases as Plain[]).map(({ ID, ...rest }) => ({
      ...rest,
      ID: leaseName(ID as string | undefined, picked),
    }));
  }
}

function leaseName(id: string | undefined, picked: readonly string[]): string | undefined {
  const at = id === undefined ? -1 : picked.indexOf(id);
  return at < 0 ? id : `(chosen by the server: ${at})`;
}

/** Seconds that may lie between the two servers' looks at the clock. */
const SECONDS_APART = 2;

/** Makes the seconds left of a lease equal when both are possible. */
export function alignRemainingSeconds(etcd: Answer, kvorum: Answer): void {
  const [a, b] = [etcd.message, kvorum.message];
  if (a === undefined || b === undefined) return;
  const [mine, theirs, granted] = [a.TTL, b.TTL, a.grantedTTL].map((seconds) =>
    Number(seconds ?? 0),
  ) as [number, number, number];
  const possible = (seconds: number) => seconds >= 0 && seconds <= granted;
  const near = Math.abs(mine - theirs) <= SECONDS_APART;
  if (near && possible(mine) && possible(theirs)) a.TTL = b.TTL = String(mine);
}

/** Up to so many pairs etcd's sort keeps equal ones in order, by the way it is made. */
const STABLE_SORT_MAX = 12;
const SORTED_BY = ['key', 'version', 'create_revision', 'mod_revision', 'value'];

/**
 * Orders pairs that sort alike by key: etcd leaves their order open. False when the answer depends on
 * that order in another way (it was cut within them), so that nothing can be compared.
 */
export function orderTies(request: Plain, message: Plain): boolean {
  const kvs = message.kvs as Plain[] | undefined;
  const target = SORTED_BY[(request.sort_target as number | undefined) ?? 0];
  if (kvs === undefined || target === undefined || target === 'key') return true;
  if (Number(message.count) <= STABLE_SORT_MAX) return true;
  if (message.more === true || request.keys_only === true) return false;
  message.kvs = [...kvs].sort((a, b) => {
    const [x, y] = [a[target] ?? '', b[target] ?? ''];
    if (x !== y) return kvs.indexOf(a) - kvs.indexOf(b);
    return (a.key as string) < (b.key as string) ? -1 : 1;
  });
  return true;
}
