/** Exit codes of the command line, and the error that carries one. */

/** etcdctl's exit codes. */
export const ExitCode = {
  success: 0,
  error: 1,
  badConnection: 2,
  invalidInput: 3,
  badFeature: 4,
  interrupted: 5,
  io: 6,
  badArgs: 128,
} as const;

/** Ends a command with an exit code and, unless the message is empty, a line `Error: <message>`. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The arguments do not fit the command. */
export function badArgs(message: string): CommandError {
  return new CommandError(ExitCode.badArgs, message);
}
