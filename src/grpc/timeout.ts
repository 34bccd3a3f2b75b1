/** The header grpc-timeout: up to eight digits and a unit. */

const UNIT_MS: Record<string, number> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

const PATTERN = /^([0-9]{1,8})([HMSmun])$/;

/** In milliseconds; undefined when malformed. */
export function parseTimeout(text: string): number | undefined {
  const [, digits, unit] = PATTERN.exec(text) ?? [];
  return unit === undefined ? undefined : Number(digits) * UNIT_MS[unit]!;
}

/** Rounded up to what eight digits can say; never below a millisecond. */
export function formatTimeout(timeoutMs: number): string {
  for (const unit of ['m', 'S', 'M', 'H']) {
    const count = Math.max(1, Math.ceil(timeoutMs / UNIT_MS[unit]!));
    if (count < 1e8) return `${count}${unit}`;
  }
  return '99999999H';
}
