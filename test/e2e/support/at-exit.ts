/** Clean-up that runs when the test process ends: normally, by a failure, or interrupted. */
const actions: (() => void)[] = [];

/** `action` must be synchronous. Actions run in reverse order: what was made last goes first. */
export function atExit(action: () => void): void {
  if (actions.length === 0) listen();
  actions.push(action);
}

function listen(): void {
  process.once('exit', () => {
    for (const action of actions.reverse()) action();
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(1));
  }
}
