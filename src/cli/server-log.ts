/**
 * The server's log: lines as etcd's zap writes them, one JSON object each (`level`, `ts`, `msg`, then
 * the fields), or for people with tabs. Lines go to a {@link LogSink}, which never blocks.
 */
import type { LogLevel, Logger } from '../server/index.js';

/** `fatal` is for the line before an exit, and as a threshold. */
export type PrintedLevel = LogLevel | 'fatal';
export type LogFormat = 'json' | 'console';

export interface LogLine {
  level: PrintedLevel;
  message: string;
  /** Printed in order after the message. */
  fields: Record<string, unknown>;
}

export interface LogSink {
  /** Takes a whole line with its newline; never blocks or throws. */
  write(line: string): void;
}

const ranks: Record<PrintedLevel, number> = { debug: 0, info: 1, warn: 2, error: 3, fatal: 4 };

export interface ServerLogOptions {
  /** Lines below are not printed. */
  level: PrintedLevel;
  format: LogFormat;
  /** Unix milliseconds; the fraction is printed as microseconds. */
  wallMs(): number;
  sink: LogSink;
}

/** Prints one line if its level is reached. */
export type PrintLine = (line: LogLine) => void;

export function createPrinter({ level, format, wallMs, sink }: ServerLogOptions): PrintLine {
  const render = format === 'json' ? jsonLine : consoleLine;
  return (line) => {
    if (ranks[line.level] >= ranks[level]) sink.write(render(line, timestamp(wallMs())));
  };
}

/** The member's logger on top of a printer. */
export function createLogger(print: PrintLine): Logger {
  return (level, message, fields = {}) => print({ level, message, fields });
}

/** `2026-11-30T17:11:06.797270Z` */
export function timestamp(wallMs: number): string {
  const microseconds = Math.floor(wallMs * 1000);
  const milliseconds = Math.floor(microseconds / 1000);
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0');
  return new Date(milliseconds).toISOString().replace('Z', `${rest}Z`);
}

/** One line of JSON, with its newline. */
export function jsonLine({ level, message, fields }: LogLine, ts: string): string {
  const members = { level, ts, msg: message };
  return `{${[...jsonMembers(members, ':'), ...jsonMembers(fields, ':')].join(',')}}\n`;
}

/** `ts level msg {fields}` with tabs between, as zap's console encoder. */
export function consoleLine({ level, message, fields }: LogLine, ts: string): string {
  const members = jsonMembers(fields, ': ');
  const parts = [ts, level, message.replaceAll('\n', '\\n')];
  if (members.length > 0) parts.push(`{${members.join(', ')}}`);
  return `${parts.join('\t')}\n`;
}

function jsonMembers(fields: Record<string, unknown>, colon: string): string[] {
  return Object.entries(fields)
    .map(([name, value]) => [name, jsonOf(value)] as const)
    .filter(([, json]) => json !== undefined)
    .map(([name, json]) => `${JSON.stringify(name)}${colon}${json}`);
}

/** A log line must come out whatever it is given: a value that JSON refuses is printed as text. */
function jsonOf(value: unknown): string | undefined {
  if (typeof value === 'bigint') return value.toString();
  try {
    return JSON.stringify(value, printable);
  } catch {
    return JSON.stringify(String(value));
  }
}

/** Inside objects and lists ids become text, since JSON has no exact form that JavaScript writes. */
function printable(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error) return value.message;
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return value;
}
