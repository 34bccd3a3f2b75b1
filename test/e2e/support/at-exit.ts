/** Clean-up that runs when the test process ends: normally, by a failure, or interrupted. */

/** Processes end before the files that they write to are removed. */
const stages = { processes: [] as (() => void)[], files: [] as (() => void)[] };
let listening = false;

/** `action` must be synchronous. */
export function atExit(stage: keyof typeof stages, action: () => void): void {
  if (!listening) listen();
  listening = true;
  stages[stage].push(action);
}

function listen(): void {
  process.once('exit', () => {
    for (const action of [...stages.processes, ...stages.files]) attempt(action);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(1));
  }
}

/** What cannot be cleaned up must not keep the rest from it. */
function attempt(action: () => void): void {
  try {
    action();
  } catch (error) {
    console.error(error);
  }
}
