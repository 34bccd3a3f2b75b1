/** Sizes: what must fit, and how what does not is refused. */
import { EtcdError } from '../../../api/index.js';
import type { Check } from '../check.js';
import { outcomeOf } from '../probe.js';

const MEBIBYTE = 1024 * 1024;

/** Megabytes take their time on a busy machine. */
const timeoutMs = 30_000;

export const LIMIT_CHECKS: readonly Check[] = [
  {
    name: 'limits/large-value',
    promise: 'a value of 1 MiB comes back whole',
    timeoutMs,
    run: async (probe) => {
      const value = 'v'.repeat(MEBIBYTE);
      await probe.put('a', value);
      const { kvs } = await probe.get('a');
      probe.equal('the value is the same', kvs[0]?.value === value, true);
    },
  },
  {
    name: 'limits/large-key',
    promise: 'a key of 64 KiB works',
    timeoutMs,
    run: async (probe) => {
      const name = 'k'.repeat(64 * 1024);
      await probe.put(name, '1');
      probe.equal('value', (await probe.get(name)).kvs[0]?.value, '1');
    },
  },
  {
    name: 'limits/too-large',
    promise: 'a request of more than 1.5 MiB (the default of --max-request-bytes) is refused',
    timeoutMs,
    run: async (probe) => {
      const put = probe.put('a', 'v'.repeat(1.7 * MEBIBYTE));
      if (!((await outcomeOf(put)) instanceof EtcdError)) {
        probe.notApplicable('the server accepts 1.7 MiB: its --max-request-bytes is raised');
      }
      await probe.refused('Put of 1.7 MiB', put, 'requestTooLarge');
      probe.equal('keys afterwards', (await probe.list({ countOnly: true })).count, 0);
    },
  },
  {
    name: 'limits/large-answer',
    promise: 'an answer of 5 MiB is sent whole: answers have no limit',
    timeoutMs,
    run: async (probe) => {
      for (let i = 0; i < 5; i++) await probe.put(`k${i}`, 'v'.repeat(MEBIBYTE));
      const { kvs } = await probe.list();
      const bytes = kvs.reduce((sum, { value }) => sum + value.length, 0);
      probe.equal('bytes of all values', bytes, 5 * MEBIBYTE);
    },
  },
  {
    name: 'limits/many-keys',
    promise: 'five thousand keys come in one answer, in order',
    timeoutMs,
    run: async (probe) => {
      for (let i = 0; i < 50; i++) {
        await probe.txn({
          success: Array.from({ length: 100 }, (_, k) => ({
            kind: 'put',
            request: {
              key: probe.key(String(i * 100 + k).padStart(4, '0')),
              value: '',
              lease: 0n,
              prevKv: false,
              ignoreValue: false,
              ignoreLease: false,
            },
          })),
        });
      }
      probe.startOver();
      probe.note('50 times Txn with 100 puts, "P/0000" to "P/4999"');
      const { kvs, count } = await probe.list();
      const sorted = kvs.every((kv, i) => kv.key === probe.key(String(i).padStart(4, '0')));
      probe.equal('count, keys and their order', [count, kvs.length, sorted], [5000, 5000, true]);
    },
  },
  {
    name: 'limits/whole-event',
    promise:
      'a revision of more than 2 MiB comes to a watch in one answer unless it asks otherwise',
    run: async (probe) => {
      for (let i = 0; i < 3; i++) await probe.put(`k${i}`, 'v'.repeat(MEBIBYTE));
      const watch = await probe.watches();
      await watch.createForAll({ prevKv: true });
      await probe.delete('', { rangeEnd: probe.prefixEnd });
      const { events, fragment } = await watch.next('the deletions');
      probe.equal('events and fragment', [events.length, fragment], [3, false]);
    },
  },
  {
    name: 'limits/fragments',
    promise: 'with fragment, a large revision comes in parts, all but the last marked',
    timeoutMs,
    run: async (probe) => {
      for (let i = 0; i < 4; i++) await probe.put(`k${i}`, 'v'.repeat(MEBIBYTE));
      const watch = await probe.watches();
      await watch.createForAll({ prevKv: true, fragment: true });
      await probe.delete('', { rangeEnd: probe.prefixEnd });
      const marks = [];
      let count = 0;
      while (count < 4) {
        const { events, fragment } = await watch.next('the next part');
        marks.push(fragment);
        count += events.length;
      }
      if (marks.length === 1) {
        probe.notApplicable('4 MiB fit into one answer: --max-request-bytes is raised');
      }
      const expected = marks.map((_, i) => i < marks.length - 1);
      probe.equal('marks of the parts', marks, expected);
    },
  },
  {
    name: 'limits/many-streams',
    promise: 'a hundred watch streams of one client all get an event',
    timeoutMs,
    run: async (probe) => {
      const streams = [];
      for (let i = 0; i < 100; i++) {
        const watch = await probe.watches();
        await watch.createFor('a');
        streams.push(watch);
      }
      probe.startOver();
      probe.note('Watch#1 to Watch#100 create {key: "P/a"}');
      await probe.put('a');
      await Promise.all(streams.map((watch) => watch.events(1)));
    },
  },
];
