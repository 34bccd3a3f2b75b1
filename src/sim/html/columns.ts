/** Rows to columns, the other way round than viewer/picture.ts reads them. */
import type { Columns } from './viewer/picture.js';

type RowOf<Name extends string> = { readonly [K in Name | 'atUs']: number };

/** `names` begins with `atUs`; rows come in any order, and equal times keep theirs. */
export function columnsOf<Name extends string>(
  rows: readonly RowOf<Name>[],
  names: readonly Name[],
): Columns<RowOf<Name>> {
  const sorted = rows.toSorted((a, b) => a.atUs - b.atUs);
  const column = (name: Name) =>
    name === 'atUs' ? steps(sorted.map(({ atUs }) => atUs)) : sorted.map((row) => row[name]);
  const columns = Object.fromEntries(names.map((name) => [name, column(name)]));
  return columns as unknown as Columns<RowOf<Name>>;
}

function steps(times: readonly number[]): number[] {
  return times.map((time, place) => time - (times[place - 1] ?? 0));
}

/** A list of names that rows refer to by place; each is kept once. */
export class Places {
  readonly names: string[] = [];
  readonly #places = new Map<string, number>();

  of(name: string): number {
    let place = this.#places.get(name);
    if (place === undefined) {
      place = this.names.push(name) - 1;
      this.#places.set(name, place);
    }
    return place;
  }
}
