/** Where the server's log goes (--log-outputs): standard streams and files, all of them at once. */
import { openSync } from 'node:fs';
import { FdSink } from './log-sink.js';
import { OptionsError } from './options-error.js';
import type { LogSink } from './server-log.js';
import { osErrorText } from './go-text/os-error.js';

/** Several sinks as one. */
export class LogOutputs implements LogSink {
  private constructor(private readonly sinks: readonly FdSink[]) {}

  /**
   * `default` and `stderr` are standard error, `stdout` is standard output, anything else is a file to
   * append to, made if missing. `droppedLine` as of {@link FdSink}. Throws an {@link OptionsError}.
   */
  static open(outputs: readonly string[], droppedLine: (count: number) => string): LogOutputs {
    const fds = [...new Set(outputs)].map(descriptorOf);
    return new LogOutputs([...new Set(fds)].map((fd) => new FdSink(fd, { droppedLine })));
  }

  write(line: string): void {
    for (const sink of this.sinks) sink.write(line);
  }

  /** Resolves when everything is written, or with false after `timeoutMs`. */
  async flush(timeoutMs: number): Promise<boolean> {
    const flushed = await Promise.all(this.sinks.map((sink) => sink.flush(timeoutMs)));
    return flushed.every(Boolean);
  }
}

function descriptorOf(output: string): number {
  if (output === 'stdout' || output === '/dev/stdout') return 1;
  if (output === 'stderr' || output === 'default' || output === '/dev/stderr') return 2;
  try {
    return openSync(output, 'a', 0o644);
  } catch (error) {
    throw new OptionsError(osErrorText('open', output, error), { cause: error });
  }
}

/** Checks and takes apart the flag's value. Throws an {@link OptionsError}. */
export function parseLogOutputs(text: string): string[] {
  const outputs = text.split(',').map((output) => output.trim());
  if (outputs.includes('')) throw new OptionsError(`no log output between commas: ${text}`);
  if (outputs.includes('default') && outputs.length > 1) {
    throw new OptionsError(`multi logoutput for "default" is not supported yet`);
  }
  if (outputs.includes('systemd/journal')) {
    throw new OptionsError('log output systemd/journal is not supported by this server');
  }
  return outputs;
}
