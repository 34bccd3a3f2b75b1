import { CommandError, ExitCode } from '../exit.js';

/** The refusal of an answer that has no such form. The request has been done by then, as in etcdctl. */
export function unsupported(format: string): CommandError {
  return new CommandError(ExitCode.badFeature, `${format} not supported as output format`);
}
