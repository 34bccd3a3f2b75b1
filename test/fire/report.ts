/** What a run under fire tells people. */
import type { FireProgress, FireResult } from './fire-run.js';

/** The command that runs a seed again. */
export function fireCommand(seed: number, minutes: number): string {
  return `node dist/test/fire/main.js --seed ${seed} --minutes ${minutes}`;
}

/** One line of how it goes. */
export function progressText(progress: FireProgress, durationMs: number): string {
  return (
    `${seconds(progress.elapsedMs)} of ${seconds(durationMs)} s: ` +
    `${progress.operations} operations (${progress.acknowledged} acknowledged), ${faultTotal(progress)} faults, ` +
    `longest stall ${seconds(progress.longestStallMs)} s`
  );
}

/** Figures first, the verdict last. */
export function resultLines(result: FireResult): string[] {
  const { settings, history, undecided, violations } = result;
  const lines = [
    `members: ${Object.entries(settings)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}`,
    `operations: ${result.operations}, ${result.acknowledged} acknowledged, ` +
      `${history.watches.length} watches with ${result.watchEvents} events, ` +
      `${result.revision} revisions`,
    `faults: ${faultTotal(result)} (${faultText(result)})`,
    `longest stall without an acknowledged write: ${seconds(result.longestStallMs)} s; ` +
      `longest recovery after everything healed: ${seconds(result.longestRecoveryMs)} s; ` +
      `this process was late by ${seconds(result.ownDelayMs)} s at most`,
    `judged in ${seconds(result.judgedMs)} s`,
  ];
  if (undecided.length > 0) lines.push(`linearizability undecided for ${undecided.join(', ')}`);
  if (violations.length === 0) lines.push('every promise was kept');
  else lines.push(...violationLines(result));
  return lines;
}

const MAX_TOLD = 8;

function violationLines({ violations }: FireResult): string[] {
  const told = violations
    .slice(0, MAX_TOLD)
    .map(({ promise, explanation }) => `  ${promise}: ${explanation}`);
  const more = violations.length - told.length;
  return [
    `${violations.length} promises were broken:`,
    ...told,
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ];
}

function faultTotal({ faults }: FireProgress): number {
  return [...faults.values()].reduce((sum, count) => sum + count, 0);
}

function faultText({ faults }: FireProgress): string {
  return [...faults].map(([kind, count]) => `${kind} ${count}`).join(', ');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
