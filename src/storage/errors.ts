/** Refusals of the disk. `code` is stable; the message is one line that names the file or folder. */
export type StorageErrorCode =
  /** Another process has it open. */
  | 'LOCKED'
  /** A checksum is wrong, a record is malformed, or the log has a gap. */
  | 'CORRUPT'
  /** The disk refused a read or write (full, permission, I/O error). */
  | 'IO'
  /** Made by a newer version, or something else than this store's data. */
  | 'FORMAT';

export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ENOSPC: 'no space left on the disk',
  EDQUOT: 'disk quota exceeded',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'part of the path is not a directory',
  EMFILE: 'too many open files',
  ENOENT: 'no such file or directory',
  EISDIR: 'it is a directory',
  EIO: 'input/output error',
};

/** StorageError IO for what the system refused; a StorageError passes through unchanged. */
export function diskRefusal(verb: string, path: string, cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause;
  const reason = REASONS[(cause as NodeJS.ErrnoException).code ?? ''] ?? oneLine(cause);
  return new StorageError('IO', `cannot ${verb} ${path}: ${reason}`, { cause });
}

/** The message of anything thrown, on one line. */
export function oneLine(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.replace(/\s+/g, ' ').trim();
}
