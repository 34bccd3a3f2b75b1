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
