import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createLogger,
  createPrinter,
  timestamp,
  type LogFormat,
  type PrintedLevel,
} from '../../src/cli/server-log.js';

/** What a logger prints at a fixed time. */
function printed(
  format: LogFormat,
  level: PrintedLevel,
  log: (logger: ReturnType<typeof createLogger>) => void,
): string[] {
  const lines: string[] = [];
  const wallMs = () => Date.UTC(2026, 10, 30, 17, 11, 6, 797) + 0.27;
  const print = createPrinter({
    format,
    level,
    wallMs,
    sink: { write: (line) => lines.push(line) },
  });
  log(createLogger(print));
  return lines;
}

test('JSON has level, time, message and the fields in their order', () => {
  const lines = printed('json', 'info', (log) =>
    log('info', 'kvstore restored', { 'current-rev': 1, 'member-id': 'ab', urls: ['http://a:1'] }),
  );
  assert.deepEqual(lines, [
    '{"level":"info","ts":"2026-11-30T17:11:06.797270Z","msg":"kvstore restored",' +
      '"current-rev":1,"member-id":"ab","urls":["http://a:1"]}\n',
  ]);
});

test('console has tabs', () => {
  const lines = printed('console', 'info', (log) => {
    log('warn', 'slow', { took: '5s', id: 2n ** 64n - 1n });
    log('error', 'two\nlines');
  });
  assert.deepEqual(lines, [
    '2026-11-30T17:11:06.797270Z\twarn\tslow\t{"took": "5s", "id": 18446744073709551615}\n',
    '2026-11-30T17:11:06.797270Z\terror\ttwo\\nlines\n',
  ]);
});

test('lines below the level are not printed', () => {
  const levels = ['debug', 'info', 'warn', 'error'] as const;
  const counts = { debug: 4, info: 3, warn: 2, error: 1, fatal: 0 };
  for (const [threshold, count] of Object.entries(counts)) {
    const lines = printed('json', threshold as PrintedLevel, (log) => {
      for (const level of levels) log(level, 'x');
    });
    assert.equal(lines.length, count, threshold);
  }
});

test('every value comes out as one line of JSON, ids exact', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const throwing = { toJSON: () => assert.fail('no') };
  const values = {
    id: 2n ** 64n - 1n,
    error: new Error('why'),
    nested: { id: 5n, error: new Error('in') },
    text: 'a\n"b"\u2028',
    nothing: undefined,
    nan: NaN,
    nil: null,
    circular,
    throwing,
  };
  const [line] = printed('json', 'info', (log) => log('info', 'm', values));
  assert.ok(line!.includes('"id":18446744073709551615'));
  assert.equal(line!.indexOf('\n'), line!.length - 1);
  const { level, ts, msg, id, ...rest } = JSON.parse(line!) as Record<string, unknown>;
  assert.deepEqual([level, typeof ts, msg, typeof id], ['info', 'string', 'm', 'number']);
  assert.deepEqual(rest, {
    error: 'why',
    nested: { id: '5', error: 'in' },
    text: 'a\n"b"\u2028',
    nan: 'NaN',
    nil: null,
    circular: '[object Object]',
    throwing: '[object Object]',
  });
});

test('time is UTC with six digits, whatever the fraction', () => {
  assert.equal(timestamp(0), '1970-01-01T00:00:00.000000Z');
  assert.equal(timestamp(1.9994), '1970-01-01T00:00:00.001999Z');
  assert.equal(timestamp(1767225599999.999), '2025-12-31T23:59:59.999999Z');
});
