/** All checkers that look at a run when it is over. */
import type { Entry } from '../raft/index.js';
import { type MemberConfig } from '../server/index.js';
import { checkEqualHash } from './checkers/equal-hash.js';
import { checkLeaseGuarantees } from './checkers/lease-guarantees.js';
import { checkLinearizableByRevision } from './checkers/linearizable-by-revision.js';
import { checkLinearizableBySearch } from './checkers/linearizable-by-search.js';
import { type FinalState, checkNoLostWrite } from './checkers/no-lost-write.js';
import { checkProgressAfterHeal } from './checkers/progress-after-heal.js';
import { checkSerializableReads } from './checkers/serializable-reads.js';
import { replay } from './checkers/true-history.js';
import type { Violation } from './checkers/violation.js';
import { checkWatchGuarantees } from './checkers/watch-guarantees.js';
import type { NodeView } from './checkers/world-view.js';
import type { History } from './history.js';
import { MAX_CLOCK_DRIFT } from './node-clock.js';

/** A run that has come to its end. */
export interface FinishedRun {
  readonly history: History;
  /** Everything that was applied, from the first entry on. */
  readonly entries: readonly Entry[];
  readonly appliedAtMs: (index: number) => number | undefined;
  readonly config: Pick<MemberConfig, 'electionMs'>;
  /** Nodes of the voters. */
  readonly voters: readonly NodeView[];
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
  const { history, entries, appliedAtMs, config, finalStates, settledRevision, healedMs, endMs } =
    run;
  const truth = replay(entries);
  return [
    ...checkLinearizableByRevision(history, truth),
    ...checkSerializableReads(history, truth),
    ...checkWatchGuarantees(history, truth, { settledRevision }),
    ...checkLeaseGuarantees(history, truth, {
      clockDrift: MAX_CLOCK_DRIFT,
      extensionMs: config.electionMs,
      appliedAtMs,
      settled: { sinceMs: healedMs, endMs },
    }),
    ...checkEqualHash(history),
    ...checkNoLostWrite(history, finalStates),
  ];
}
