/** What the commands of kvorumutl have in common: how they refuse. */
import { BoltError } from '../../bolt/index.js';
import { latin1FromUtf8 } from '../../bytes/index.js';
import { RestoreError, StartError, StorageError } from '../../embed/index.js';
import { MalformedRecordError } from '../../embed/snapshot-keyspace.js';
import { CommandError, ExitCode } from '../exit.js';
import { osErrorText } from '../go-text/os-error.js';
import { UrlError } from '../server-urls.js';
import type { Session } from '../session.js';

const REFUSALS = [
  BoltError,
  RestoreError,
  StartError,
  StorageError,
  MalformedRecordError,
  UrlError,
];

/** Refuses an unknown output format before the work is done. */
export async function checkFormat(session: Session): Promise<void> {
  const { printerFor } = await import('../printers/index.js');
  printerFor(session.format());
}

/**
 * The refusal behind a failure; what is none (a bug) comes back as it is. `operation` is what Go calls
 * the failed opening of `path`, which is bytes.
 */
export function snapshotRefusal(operation: string, path: string, error: unknown): unknown {
  const message = messageOf(operation, path, error);
  return message === undefined
    ? error
    : new CommandError(ExitCode.error, message, { cause: error });
}

function messageOf(operation: string, path: string, error: unknown): string | undefined {
  if (error instanceof BoltError && error.code === 'NOT_BOLT') return 'invalid database';
  if (REFUSALS.some((kind) => error instanceof kind)) {
    return latin1FromUtf8((error as Error).message);
  }
  return isSystemError(error) ? systemText(operation, path, error) : undefined;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** Only the file is opened here; other calls say themselves what they were about. */
function systemText(operation: string, path: string, error: NodeJS.ErrnoException): string {
  const { syscall = operation, path: other } = error;
  if (syscall === 'open') return osErrorText(operation, path, error);
  return osErrorText(syscall, other === undefined ? path : latin1FromUtf8(other), error);
}
