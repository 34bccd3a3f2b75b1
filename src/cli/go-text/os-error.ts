/** Refusals of the system in Go's words. */

const REASONS: Record<string, string> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
  EEXIST: 'file exists',
  ENOSPC: 'no space left on device',
  EDQUOT: 'disk quota exceeded',
  EROFS: 'read-only file system',
};

/** Go's text of a failed call: `open /x: no such file or directory`. */
export function osErrorText(operation: string, path: string, error: unknown): string {
  const code = String((error as NodeJS.ErrnoException).code);
  return `${operation} ${path}: ${REASONS[code] ?? code}`;
}
