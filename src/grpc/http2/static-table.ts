/** HPACK's static table (RFC 7541, appendix A). */

export interface Field {
  readonly name: string;
  readonly value: string;
}

const NAMES_AND_VALUES: readonly (readonly [name: string, ...values: string[]])[] = [
  [':authority'],
  [':method', 'GET', 'POST'],
  [':path', '/', '/index.html'],
  [':scheme', 'http', 'https'],
  [':status', '200', '204', '206', '304', '400', '404', '500'],
  ['accept-charset'],
  ['accept-encoding', 'gzip, deflate'],
  ['accept-language'],
  ['accept-ranges'],
  ['accept'],
  ['access-control-allow-origin'],
  ['age'],
  ['allow'],
  ['authorization'],
  ['cache-control'],
  ['content-disposition'],
  ['content-encoding'],
  ['content-language'],
  ['content-length'],
  ['content-location'],
  ['content-range'],
  ['content-type'],
  ['cookie'],
  ['date'],
  ['etag'],
  ['expect'],
  ['expires'],
  ['from'],
  ['host'],
  ['if-match'],
  ['if-modified-since'],
  ['if-none-match'],
  ['if-range'],
  ['if-unmodified-since'],
  ['last-modified'],
  ['link'],
  ['location'],
  ['max-forwards'],
  ['proxy-authenticate'],
  ['proxy-authorization'],
  ['range'],
  ['referer'],
  ['refresh'],
  ['retry-after'],
  ['server'],
  ['set-cookie'],
  ['strict-transport-security'],
  ['transfer-encoding'],
  ['user-agent'],
  ['vary'],
  ['via'],
  ['www-authenticate'],
];

/** Entry n of HPACK is at n - 1. */
export const staticTable: readonly Field[] = NAMES_AND_VALUES.flatMap(([name, ...values]) =>
  (values.length === 0 ? [''] : values).map((value) => ({ name, value })),
);

const places = new Map<string, number>();
for (const [place, { name, value }] of staticTable.entries()) {
  if (!places.has(name)) places.set(name, place + 1);
  places.set(`${name}\n${value}`, place + 1);
}

/** The number of the entry that is this field, or 0. */
export function staticIndexOfField(name: string, value: string): number {
  return value === '' ? 0 : (places.get(`${name}\n${value}`) ?? 0);
}

/** The number of the first entry with this name, or 0. */
export function staticIndexOfName(name: string): number {
  return places.get(name) ?? 0;
}
