/** How a member that cannot run must end. */
import assert from 'node:assert/strict';
import { serverUnderTest } from './binaries.js';
import type { Child } from './child.js';

const endTimeoutMs = 20_000;
/** A line of a JavaScript or Go stack trace, raw or inside a JSON string. */
const stackTrace = /(^|\\n|\n)\s*at .+:\d+:\d+|goroutine \d+|"stacktrace":|\bnode:internal\b/;

/**
 * The process ends with `code` and says why in one line of stderr that matches `line`. etcd itself
 * may say it twice and adds stack traces; Kvorum must not.
 */
export async function checkRefusal(child: Child, code: number, line: RegExp): Promise<void> {
  await child.until(() => child.exit !== undefined, endTimeoutMs, 'end of a member');
  assert.match(child.stderr, line, child.describe());
  assert.deepEqual(child.exit, { code, signal: null }, child.describe());
  if (serverUnderTest === 'kvorum') checkOneLine(child, line);
}

/** The cause is named once, and there is no stack trace. */
export function checkOneLine(child: Child, line: RegExp): void {
  const lines = child.stderr.split('\n').filter((text) => line.test(text));
  assert.equal(lines.length, 1, `${lines.length} lines match ${line}: ${child.describe()}`);
  assert.doesNotMatch(child.stderr, stackTrace, child.describe());
}
