/** All checkers that look at a run when it is over. */
import { type MemberConfig } from '../server/index.js';
import { checkEqualHash } from './checkers/equal-hash.js';
import { checkLeaseGuarantees } from './checkers/lease-guarantees.js';
import { checkLinearizableByRevision } from './checkers/linearizable-by-revision.js';
import { checkLinearizableBySearch } from './checkers/linearizable-by-search.js';
import { type FinalState, checkNoLostWrite } from './checkers/no-lost-write.js';
import { checkProgressAfterHeal, type MemberState } from './checkers/progress-after-heal.js';
import { checkSerializableReads } from './checkers/serializable-reads.js';
import type { TrueHistory } from './checkers/true-history.js';
import type { Violation } from './checkers/violation.js';
import { checkWatchGuarantees } from './checkers/watch-guarantees.js';
import type { History } from './history.js';

/** A run that has come to its end: of a virtual cluster, or of real processes. Times as in its history. */
export interface FinishedRun {
  readonly history: History;
  /** Everything that has happened to the keyspace since its first revision. */
  readonly truth: TrueHistory;
  /** When the entry at an index was first applied, if the log is known. */
  readonly appliedAtMs?: (index: number) => number | undefined;
  /** When somebody first saw a revision, if the log is not known. */
  readonly seenAtMs?: (revision: number) => number | undefined;
  readonly config: Pick<MemberConfig, 'electionMs'>;
  /** How much faster than true time a member's clock may have run, as a share. */
  readonly clockDrift: number;
  readonly voters: readonly (MemberState & { readonly alive: boolean })[];
  readonly finalStates: readonly FinalState[];
  /** Every member had applied this revision, and watchers were given time, when the run ended. */
  readonly settledRevision: number;
  readonly healedMs: number;
  /** The cluster should have recovered so many milliseconds later. */
  readonly boundMs: number;
  readonly committedAtHeal: number;
  readonly endMs: number;
}

export interface Judgement {
  /** Every promise that was broken; empty when none was. */
  readonly violations: readonly Violation[];
  /** Keys whose linearizability the search could not decide within its steps. */
  readonly undecided: readonly string[];
}

export function judge(run: FinishedRun): Judgement {
  const { history, voters, healedMs, boundMs, committedAtHeal } = run;
  const down = voters.filter(({ alive }) => !alive);
  if (down.length > 0 || voters.length === 0) {
    const who = down.map(({ id }) => id).join(', ') || 'everybody';
    const explanation = `${who} is down at the end`;
    return { violations: [{ promise: 'progress-after-heal', explanation }], undecided: [] };
  }
  const members = voters.map(({ id }) => id);
  const question = { healedMs, boundMs, members, committedAtHeal };
  const { violations: misfits, undecided } = checkLinearizableBySearch(history);
  const progress = checkProgressAfterHeal(history, voters, question);
  return { violations: [...progress, ...judgeHistory(run), ...misfits], undecided };
}

function judgeHistory(run: FinishedRun): Violation[] {
  const { history, truth, config, finalStates, settledRevision, healedMs, endMs } = run;
  return [
    ...checkLinearizableByRevision(history, truth),
    ...checkSerializableReads(history, truth),
    ...checkWatchGuarantees(history, truth, { settledRevision }),
    ...checkLeaseGuarantees(history, truth, {
      clockDrift: run.clockDrift,
      extensionMs: config.electionMs,
      ...(run.appliedAtMs && { appliedAtMs: run.appliedAtMs }),
      ...(run.seenAtMs && { seenAtMs: run.seenAtMs }),
      settled: { sinceMs: healedMs, endMs },
    }),
    ...checkEqualHash(history),
    ...checkNoLostWrite(history, finalStates),
  ];
}
