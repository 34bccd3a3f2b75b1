/** The compares of Txn: targets, results, missing keys, ranges and 64-bit operands. */
import { CompareResult, CompareTarget, type Compare } from '../../../api/index.js';
import type { Check } from '../check.js';
import { revisionOf, type Probe } from '../probe.js';

type Target = keyof typeof CompareTarget;
type Operand = NonNullable<Compare['operand']>;

function compare(
  probe: Probe,
  name: string,
  result: keyof typeof CompareResult,
  target: Target,
  operand?: Operand,
): Compare {
  return {
    result: CompareResult[result],
    target: CompareTarget[target],
    key: probe.key(name),
    rangeEnd: '',
    ...(operand === undefined ? {} : { operand }),
  };
}

async function holds(probe: Probe, ...compares: Compare[]): Promise<boolean> {
  return (await probe.txn({ compare: compares })).succeeded;
}

/** Compares a value with one below, one equal and one above, under all four results. */
async function checkOrder(
  probe: Probe,
  target: Target,
  [below, equal, above]: readonly [Operand, Operand, Operand],
): Promise<void> {
  const expected = {
    equal: [false, true, false],
    notEqual: [true, false, true],
    greater: [true, false, false],
    less: [false, false, true],
  } as const;
  for (const result of ['equal', 'notEqual', 'greater', 'less'] as const) {
    probe.startOver();
    const got = [];
    for (const operand of [below, equal, above]) {
      got.push(await holds(probe, compare(probe, 'a', result, target, operand)));
    }
    probe.equal(`${result} against one below, equal and above`, got, expected[result]);
  }
}

export const COMPARE_CHECKS: readonly Check[] = [
  {
    name: 'txn/compare-version',
    promise: 'VERSION compares with =, !=, > and <',
    run: async (probe) => {
      await probe.put('a');
      await probe.put('a');
      const of = (value: number): Operand => ({ kind: 'version', value });
      await checkOrder(probe, 'version', [of(1), of(2), of(3)]);
    },
  },
  {
    name: 'txn/compare-revisions',
    promise: 'CREATE and MOD compare with =, !=, > and <',
    run: async (probe) => {
      const created = revisionOf(await probe.put('a'));
      const changed = revisionOf(await probe.put('a'));
      for (const [kind, value] of [
        ['create', created],
        ['mod', changed],
      ] as const) {
        const of = (offset: number): Operand => ({ kind, value: value + offset });
        await checkOrder(probe, kind, [of(-1), of(0), of(1)]);
      }
    },
  },
  {
    name: 'txn/compare-value',
    promise: 'VALUE compares as bytes with =, !=, > and <',
    run: async (probe) => {
      await probe.put('a', 'k\x80');
      const of = (value: string): Operand => ({ kind: 'value', value });
      await checkOrder(probe, 'value', [of('k\x7f'), of('k\x80'), of('k\x80\x00')]);
    },
  },
  {
    name: 'txn/compare-lease',
    promise: 'LEASE compares exactly, also above 2^53',
    run: async (probe) => {
      const id = 2n ** 61n + 12345n;
      await probe.grant(60, { id });
      await probe.put('a', '', { lease: id });
      const of = (value: bigint): Operand => ({ kind: 'lease', value });
      await checkOrder(probe, 'lease', [of(id - 1n), of(id), of(id + 1n)]);
    },
  },
  {
    name: 'txn/compare-64-bit',
    promise: 'operands reach over the whole of int64 without rounding',
    run: async (probe) => {
      await probe.put('a');
      const largest = 2n ** 63n - 1n;
      const smallest = -(2n ** 63n);
      const less = compare(probe, 'a', 'less', 'mod', { kind: 'mod', value: largest });
      const greater = compare(probe, 'a', 'greater', 'mod', { kind: 'mod', value: smallest });
      probe.equal('MOD between the extremes', await holds(probe, less, greater), true);
    },
  },
  {
    name: 'txn/compare-missing-key',
    promise: 'a missing key has version, create_revision, mod_revision and lease 0',
    run: async (probe) => {
      for (const kind of ['version', 'create', 'mod'] as const) {
        const zero = compare(probe, 'a', 'equal', kind, { kind, value: 0 });
        probe.equal(`${kind} = 0`, await holds(probe, zero), true);
        const above = compare(probe, 'a', 'greater', kind, { kind, value: 0 });
        probe.equal(`${kind} > 0`, await holds(probe, above), false);
      }
      const lease = compare(probe, 'a', 'equal', 'lease', { kind: 'lease', value: 0n });
      probe.equal('lease = 0', await holds(probe, lease), true);
    },
  },
  {
    name: 'txn/compare-missing-value',
    promise: 'no compare of VALUE holds for a missing key, not even !=',
    run: async (probe) => {
      for (const result of ['equal', 'notEqual', 'greater', 'less'] as const) {
        const operand: Operand = { kind: 'value', value: '' };
        const held = await holds(probe, compare(probe, 'a', result, 'value', operand));
        probe.equal(`VALUE ${result} ""`, held, false);
      }
    },
  },
  {
    name: 'txn/compare-without-operand',
    promise: 'a compare whose operand is not set compares with zero',
    run: async (probe) => {
      probe.equal(
        'VERSION of a missing key',
        await holds(probe, compare(probe, 'a', 'equal', 'version')),
        true,
      );
    },
  },
  {
    name: 'txn/compare-range',
    promise: 'a compare over a range holds when it holds for every key in it',
    run: async (probe) => {
      await probe.put('a');
      await probe.put('b');
      await probe.put('b');
      const range = (value: number): Compare => ({
        ...compare(probe, 'a', 'less', 'version', { kind: 'version', value }),
        rangeEnd: probe.key('c'),
      });
      probe.equal('VERSION < 3 over both', await holds(probe, range(3)), true);
      probe.equal('VERSION < 2 over both', await holds(probe, range(2)), false);
    },
  },
  {
    name: 'txn/compare-empty-range',
    promise: 'a range without keys compares like a missing key',
    run: async (probe) => {
      const over = (each: Compare): Compare => ({ ...each, rangeEnd: probe.key('c') });
      const zero = compare(probe, 'a', 'equal', 'create', { kind: 'create', value: 0 });
      probe.equal('CREATE = 0', await holds(probe, over(zero)), true);
      const value = compare(probe, 'a', 'notEqual', 'value', { kind: 'value', value: 'x' });
      probe.equal('VALUE != "x"', await holds(probe, over(value)), false);
    },
  },
  {
    name: 'txn/compare-all',
    promise: 'one compare that does not hold among many is enough to fail',
    run: async (probe) => {
      await probe.put('a', '1');
      const right = compare(probe, 'a', 'equal', 'version', { kind: 'version', value: 1 });
      const wrong = compare(probe, 'a', 'equal', 'value', { kind: 'value', value: '2' });
      probe.equal('right alone', await holds(probe, right), true);
      probe.equal('right and wrong', await holds(probe, right, wrong, right), false);
    },
  },
];
