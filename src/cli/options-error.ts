/** Flags that do not go together, or whose value no server can have; the message is etcd's. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
}
