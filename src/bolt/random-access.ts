/** The reader's only way to a file: the caller brings a real one, a simulated one, or bytes. */
export interface RandomAccess {
  /** Bytes; does not change while the file is read. */
  readonly size: number;
  /**
   * The bytes [offset, offset + length), which lie within `size`. They are not changed afterwards (a
   * reader keeps views of them). Fewer bytes mean that the file has become shorter.
   */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** A file that is in memory. Its bytes must not be changed while it is in use. */
export function memoryAccess(bytes: Uint8Array): RandomAccess {
  return {
    size: bytes.length,
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  };
}

/** The first `size` bytes of `access`: a snapshot file without its trailer. */
export function prefixAccess(access: RandomAccess, size: number): RandomAccess {
  return { size, read: (offset, length) => access.read(offset, length) };
}
