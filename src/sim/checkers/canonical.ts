/** Values as text that is equal for equal values: for comparing answers and for naming requests. */

/** JSON with bigints, sorted members, and absent ones left out. */
export function canonical(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${name}:${canonical(member)}`).join()}}`;
}

/** An answer without its outermost header, which says who answered. */
export function withoutHeader<T extends { header?: unknown }>(response: T): Omit<T, 'header'> {
  return { ...response, header: undefined };
}
