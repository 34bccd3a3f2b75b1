/**
 * Numbers that a member counts, and their page in Prometheus' text format 0.0.4. Counting is a plain
 * increment of a field; names, labels and text come together only when the page is asked for.
 */

/** Counts upwards: `counter.value++`. */
export class Counter {
  value = 0;
}

/** How values are spread: each observation falls into a bucket that was made at the start. */
export class Histogram {
  sum = 0;
  /** Observations by bucket, the last without an upper bound. */
  readonly counts: Float64Array;

  /** `bounds` are upper bounds, inclusive and ascending. */
  constructor(readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]!) bucket++;
    this.counts[bucket]!++;
    this.sum += value;
  }
}

/** `count` bounds, the first `start` and each `factor` times the one before. */
export function exponentialBounds(start: number, factor: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => start * factor ** i);
}

/** The members of a metric with labels, by their labels' values. They appear when first asked for. */
export class Family<T> {
  readonly children = new Map<string, { readonly values: readonly string[]; readonly metric: T }>();

  constructor(private readonly create: () => T) {}

  /** Keep what this returns where it is used often: finding it takes longer than counting. */
  with(...values: readonly string[]): T {
    const key = values.join('\0');
    const known = this.children.get(key);
    if (known !== undefined) return known.metric;
    const metric = this.create();
    this.children.set(key, { values, metric });
    return metric;
  }
}

export type Sample = readonly [labels: readonly string[], value: number];
type Kind = 'counter' | 'gauge' | 'histogram';

/** One name on the page. */
interface Entry {
  readonly name: string;
  readonly help: string;
  readonly kind: Kind;
  lines(): string[];
}

/** All metrics of one member. Names are given once. */
export class Registry {
  readonly #entries = new Map<string, Entry>();

  counter(name: string, help: string): Counter {
    const counter = new Counter();
    this.#add({ name, help, kind: 'counter', lines: () => [line(name, '', counter.value)] });
    return counter;
  }

  counters(name: string, help: string, labels: readonly string[]): Family<Counter> {
    const family = new Family(() => new Counter());
    this.#add({
      name,
      help,
      kind: 'counter',
      lines: () =>
        each(family, labels, (labelled, counter) => [line(name, labelled, counter.value)]),
    });
    return family;
  }

  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    const histogram = new Histogram(bounds);
    const lines = (): string[] => histogramLines(name, '', histogram);
    this.#add({ name, help, kind: 'histogram', lines });
    return histogram;
  }

  histograms(
    name: string,
    help: string,
    labels: readonly string[],
    bounds: readonly number[],
  ): Family<Histogram> {
    const family = new Family(() => new Histogram(bounds));
    const lines = (): string[] =>
      each(family, labels, (labelled, histogram) => histogramLines(name, labelled, histogram));
    this.#add({ name, help, kind: 'histogram', lines });
    return family;
  }

  /** A number that is read when the page is made. `kind` is what the page calls it. */
  read(name: string, help: string, kind: 'gauge' | 'counter', value: () => number): void {
    this.#add({ name, help, kind, lines: () => [line(name, '', value())] });
  }

  /** The same with labels. */
  readEach(
    name: string,
    help: string,
    kind: 'gauge' | 'counter',
    labels: readonly string[],
    samples: () => Iterable<Sample>,
  ): void {
    this.#add({
      name,
      help,
      kind,
      lines: () => [...samples()].map(([values, value]) => line(name, text(labels, values), value)),
    });
  }

  /** The page. A metric without members is left out, as Go's client does. */
  page(): string {
    const entries = [...this.#entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    let page = '';
    for (const { name, help, kind, lines } of entries) {
      const own = lines();
      if (own.length === 0) continue;
      page += `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${own.join('\n')}\n`;
    }
    return page;
  }

  #add(entry: Entry): void {
    if (this.#entries.has(entry.name)) throw new Error(`metric ${entry.name} exists already`);
    this.#entries.set(entry.name, entry);
  }
}

function each<T>(
  family: Family<T>,
  labels: readonly string[],
  linesOf: (labelled: string, metric: T) => string[],
): string[] {
  return [...family.children.values()].flatMap(({ values, metric }) =>
    linesOf(text(labels, values), metric),
  );
}

function histogramLines(name: string, labelled: string, histogram: Histogram): string[] {
  const lines: string[] = [];
  let count = 0;
  histogram.counts.forEach((own, i) => {
    count += own;
    const bound = i < histogram.bounds.length ? goNumber(histogram.bounds[i]!) : '+Inf';
    const le = `le="${bound}"`;
    lines.push(line(`${name}_bucket`, labelled === '' ? le : `${labelled},${le}`, count));
  });
  return [
    ...lines,
    line(`${name}_sum`, labelled, histogram.sum),
    line(`${name}_count`, labelled, count),
  ];
}

function line(name: string, labelled: string, value: number): string {
  return `${name}${labelled === '' ? '' : `{${labelled}}`} ${goNumber(value)}`;
}

function text(labels: readonly string[], values: readonly string[]): string {
  return labels.map((label, i) => `${label}="${escaped(values[i] ?? '')}"`).join(',');
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

/** As Prometheus reads a number. */
function goNumber(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}
