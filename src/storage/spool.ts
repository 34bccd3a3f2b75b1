/**
 * A temporary file: bytes are appended, then read at any offset, and gone when it is closed. A snapshot
 * on its way in or out is kept in one, so that no other member's pace holds this one's memory.
 */
export interface Spool {
  /** Adds bytes at the end; they may be changed again once it resolves. Rejects with StorageError. */
  append(bytes: Uint8Array): Promise<void>;
  /** Bytes appended so far. */
  readonly size: number;
  /** Bytes `[offset, offset + length)`, fewer at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Deletes it. */
  close(): Promise<void>;
}
