/** Requests as records of fields, most of which a request leaves out. */
import * as fc from 'fast-check';
import type { Plain } from '../support/wire.js';

/** A field that is there in so many of a hundred requests. */
export interface Sometimes {
  percent: number;
  value: fc.Arbitrary<unknown>;
}

export function sometimes(percent: number, value: fc.Arbitrary<unknown>): Sometimes {
  return { percent, value };
}

/** A flag that is set in so many of a hundred requests. */
export function flag(percent: number): Sometimes {
  return sometimes(percent, fc.constant(true));
}

/** Requests with these fields; a field that is no {@link Sometimes} is always there. */
export function fields(shape: Record<string, fc.Arbitrary<unknown> | Sometimes>) {
  const entries = Object.entries(shape).map(([name, field]) => {
    if (field instanceof fc.Arbitrary) return field.map((value) => [[name, value]]);
    return fc.oneof(
      { weight: 100 - field.percent, arbitrary: fc.constant([]) },
      { weight: field.percent, arbitrary: field.value.map((value) => [[name, value]]) },
    );
  });
  return fc
    .tuple(...entries)
    .map((found): Plain => Object.fromEntries(found.flat() as [string, unknown][]));
}
