/** What watchers are promised, each clause broken once; and any right delivery passes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { WatchFilter, type WatchCreateRequest } from '../../../src/api/index.js';
import type { History, WatchRecord } from '../../../src/sim/history.js';
import { checkWatchGuarantees } from '../../../src/sim/checkers/watch-guarantees.js';
import { deleteRequest, putRequest, txnRequest } from '../../../src/sim/workloads/requests.js';
import { Story, promises } from './story.js';

function broken(story: Story, settledRevision?: number): string[] {
  return promises(checkWatchGuarantees(story.history, story.truth, { settledRevision }));
}

/** Revisions 2 to 5: put a; put b; put a and b in one; delete a. */
function told(): Story {
  const story = new Story();
  story.put('a', '1');
  story.put('b', '1');
  const success = ['a', 'b'].map((key) => ({
    kind: 'put' as const,
    request: putRequest(key, '2'),
  }));
  story.do('txn', txnRequest({ success }));
  story.delete('a');
  return story;
}

const ALL: Partial<WatchCreateRequest> = { rangeEnd: '\0', startRevision: 1 };

describe('right deliveries', () => {
  test('from the past, in one answer or several, with progress and an end', () => {
    const story = told();
    story.watch('a', ALL).created().events(2, 3).progress(3).events(4).events(5).progress();
    story.watch('a', { startRevision: 3 }, 2).created().events(4, 5).ended('client');
    const filters = [WatchFilter.noPut];
    story
      .watch('a', { ...ALL, filters }, 3)
      .created()
      .progress(4)
      .events(5);
    story
      .watch('a', { ...ALL, prevKv: true }, 4)
      .created()
      .events(2, 3, 4, 5);
    assert.deepEqual(broken(story, 5), []);
  });

  test('from now on', () => {
    const story = told();
    const watch = story.watch('b').created();
    story.put('b', '3');
    watch.events(6);
    assert.deepEqual(broken(story, 6), []);
  });

  test('over reconnects', () => {
    const story = told();
    story.watch('a', ALL).created().events(2).ended();
    story
      .watch('a', { ...ALL, startRevision: 3 })
      .created()
      .events(3, 4)
      .progress(4)
      .ended();
    story
      .watch('a', { ...ALL, startRevision: 5 })
      .created()
      .events(5);
    assert.deepEqual(broken(story, 5), []);
  });

  test('in fragments', () => {
    const story = told();
    const watch = story.watch('a', { ...ALL, startRevision: 4, fragment: true }).created();
    const [first, second] = watch.wanted(4);
    watch
      .arrive({ events: [first!], fragment: true })
      .arrive({ events: [second!] })
      .events(5);
    assert.deepEqual(broken(story, 5), []);
  });

  test('an empty key is the key \\0', () => {
    const story = new Story();
    story.put('\0', '1');
    story.watch('', { startRevision: 1 }).created().events(2);
    assert.deepEqual(broken(story, 2), []);
  });

  test('a refusal', () => {
    const story = told();
    story.watch('a', { startRevision: -1 }).arrive({ created: true, canceled: true }).ended();
    assert.deepEqual(broken(story, 5), []);
  });
});

describe('watch-created', () => {
  test('an event before the creation', () => {
    const story = told();
    story.watch('a', ALL).events(2);
    assert.ok(broken(story).includes('watch-created'));
  });

  test('created twice', () => {
    const story = told();
    story.watch('a', ALL).created().created();
    assert.deepEqual(broken(story), ['watch-created']);
  });

  test('something after the end', () => {
    const story = told();
    story.watch('a', ALL).created().arrive({ canceled: true }).events(2);
    assert.deepEqual(broken(story), ['watch-created']);
  });
});

describe('watch-ordered', () => {
  test('an earlier revision later', () => {
    const story = told();
    story.watch('a', ALL).created().events(3).events(2);
    assert.deepEqual(broken(story), ['watch-ordered', 'watch-reliable']);
  });

  test('changes of one revision the other way round', () => {
    const story = told();
    const watch = story.watch('a', { ...ALL, startRevision: 4 }).created();
    watch.arrive({ events: watch.wanted(4).reverse() });
    assert.ok(broken(story).includes('watch-ordered'));
  });
});

describe('watch-unique', () => {
  test('an answer twice', () => {
    const story = told();
    story.watch('a', ALL).created().events(2).events(2).events(3);
    assert.deepEqual(broken(story), ['watch-unique']);
  });

  test('an event twice in one answer', () => {
    const story = told();
    const watch = story.watch('a', ALL).created();
    watch.arrive({ events: [...watch.wanted(2), ...watch.wanted(2)] });
    assert.deepEqual(broken(story), ['watch-unique']);
  });

  test('again after a resume', () => {
    const story = told();
    story.watch('a', ALL).created().events(2, 3).ended();
    story
      .watch('a', { ...ALL, startRevision: 4 })
      .created()
      .events(3)
      .events(4);
    assert.ok(broken(story).includes('watch-unique'));
  });

  test('a watcher that resumes too early gets events twice', () => {
    const story = told();
    story.watch('a', ALL).created().events(2, 3).ended();
    story
      .watch('a', { ...ALL, startRevision: 3 })
      .created()
      .events(3)
      .events(4);
    assert.deepEqual(broken(story), ['watch-unique']);
  });
});

describe('watch-reliable', () => {
  test('a revision left out', () => {
    const story = told();
    story.watch('a', ALL).created().events(2).events(4);
    assert.deepEqual(broken(story), ['watch-reliable']);
  });

  test('an event of a revision left out before another', () => {
    const story = told();
    const watch = story.watch('a', { ...ALL, startRevision: 4 }).created();
    watch.arrive({ events: watch.wanted(4).slice(1) });
    assert.deepEqual(broken(story), ['watch-reliable']);
  });

  test('left out between history and live', () => {
    const story = told();
    const watch = story.watch('a', ALL).created().events(2, 3, 4, 5);
    story.put('a', '6');
    story.put('a', '7');
    watch.events(7);
    assert.deepEqual(broken(story), ['watch-reliable']);
  });

  test('left out by a resume', () => {
    const story = told();
    story.watch('a', ALL).created().events(2).ended();
    story
      .watch('a', { ...ALL, startRevision: 4 })
      .created()
      .events(4);
    assert.deepEqual(broken(story), ['watch-reliable']);
  });
});

describe('watch-true', () => {
  const lies: Record<string, (event: any) => void> = {
    'another value': (event) => (event.kv.value = '?'),
    'another type': (event) => (event.type = 'delete'),
    'another version': (event) => event.kv.version++,
    'another key': (event) => (event.kv.key = 'zz'),
    'a lease': (event) => (event.kv.lease = 1n),
  };
  for (const [name, spoil] of Object.entries(lies)) {
    test(name, () => {
      const story = told();
      const watch = story.watch('a', ALL).created();
      const events = structuredClone(watch.wanted(2));
      spoil(events[0]);
      watch.arrive({ events });
      assert.ok(broken(story).includes('watch-true'));
    });
  }

  test('an event outside the range, and one that the filters exclude', () => {
    const story = told();
    const all = story.watch('a', ALL).created();
    story
      .watch('a', { startRevision: 1 }, 2)
      .created()
      .arrive({ events: all.wanted(3) });
    assert.ok(broken(story).includes('watch-true'));
    const filtered = told();
    const filters = [WatchFilter.noDelete];
    const watch = filtered.watch('a', { startRevision: 5, filters }).created();
    watch.arrive({ events: filtered.watch('a', ALL, 2).wanted(5) });
    assert.ok(broken(filtered).includes('watch-true'));
  });

  test('an event from before the start', () => {
    const story = told();
    const watch = story.watch('a', { ...ALL, startRevision: 4 }).created();
    watch.events(3).events(4);
    assert.deepEqual(broken(story), ['watch-true']);
  });

  test('an event of a revision that the answer says is not reached', () => {
    const story = told();
    const watch = story.watch('a', ALL).created();
    watch.arrive({ events: [2, 3, 4, 5].flatMap((revision) => watch.wanted(revision)) }, 4);
    assert.deepEqual(broken(story), ['watch-true']);
  });
});

describe('watch-atomic', () => {
  test('a revision in two answers', () => {
    const story = told();
    const watch = story.watch('a', { ...ALL, startRevision: 4 }).created();
    const [first, second] = watch.wanted(4);
    watch.arrive({ events: [first!] }).arrive({ events: [second!] });
    assert.ok(broken(story).includes('watch-atomic'));
  });

  test('half a revision, and the run ends', () => {
    const story = told();
    const watch = story.watch('a', { ...ALL, startRevision: 4 }).created();
    watch.arrive({ events: watch.wanted(4).slice(0, 1) });
    assert.deepEqual(broken(story), ['watch-atomic']);
  });
});

describe('watch-prev-kv', () => {
  const asking = { ...ALL, startRevision: 4, prevKv: true };

  test('another pair, or none, or one that was not asked for', () => {
    for (const spoil of [
      (event: any) => (event.prevKv.value = '?'),
      (event: any) => delete event.prevKv,
    ]) {
      const story = told();
      const watch = story.watch('a', asking).created();
      const events = structuredClone(watch.wanted(4));
      spoil(events[0]);
      watch.arrive({ events });
      assert.deepEqual(broken(story), ['watch-prev-kv']);
    }
    const story = told();
    const unasked = story.watch('a', asking, 2).wanted(4);
    story
      .watch('a', { ...ALL, startRevision: 4 })
      .created()
      .arrive({ events: unasked });
    assert.deepEqual(broken(story), ['watch-prev-kv']);
  });

  test('compacted, it may be missing', () => {
    const story = told();
    const watch = story.watch('a', asking).created();
    story.compact(4);
    const events = structuredClone(watch.wanted(4));
    for (const event of events) delete event.prevKv;
    watch.arrive({ events });
    assert.deepEqual(broken(story), []);
  });
});

describe('watch-bookmark', () => {
  test('progress before the events it speaks of', () => {
    const story = told();
    story.watch('a', ALL).created().events(2).progress(3);
    assert.deepEqual(broken(story), ['watch-bookmark']);
  });

  test('an event at or below it comes later', () => {
    const story = told();
    story.watch('a', ALL).created().events(2).progress(4).events(4);
    assert.deepEqual(broken(story), ['watch-bookmark']);
  });

  test('a resume from it has missed nothing', () => {
    const story = told();
    story.watch('a', { startRevision: 2 }).created().events(2).progress(3).ended();
    story.watch('a', { startRevision: 4 }).created().events(4).events(5);
    assert.deepEqual(broken(story, 5), []);
  });
});

describe('watch-compacted', () => {
  test('a watch that needs what is gone', () => {
    const story = told();
    story.compact(4);
    story
      .watch('a', ALL)
      .created()
      .arrive({ canceled: true, compactRevision: 4 })
      .ended('canceled');
    assert.deepEqual(broken(story, 5), []);
  });

  test('one that does not', () => {
    const story = told();
    const watch = story.watch('a', { ...ALL, startRevision: 4 }).created();
    story.compact(4);
    watch.arrive({ canceled: true, compactRevision: 4 });
    assert.deepEqual(broken(story), ['watch-compacted']);
  });

  test('one that has got it all', () => {
    const story = told();
    const watch = story.watch('a', ALL).created().events(2, 3, 4);
    story.compact(4);
    watch.arrive({ canceled: true, compactRevision: 4 });
    assert.deepEqual(broken(story), ['watch-compacted']);
  });

  test('nobody has compacted, or not so far', () => {
    const story = told();
    story.compact(3);
    story.watch('a', ALL).created().arrive({ canceled: true, compactRevision: 4 });
    assert.deepEqual(broken(story), ['watch-compacted']);
  });
});

describe('watch-complete', () => {
  test('an open watch lacks what is settled', () => {
    const story = told();
    story.watch('a', ALL).created().events(2, 3, 4);
    assert.deepEqual(broken(story, 4), []);
    assert.deepEqual(broken(story, 5), ['watch-complete']);
  });
});

/** What a keyspace goes through, and how its events are cut into answers. */
const delivery = fc.record({
  writes: fc.array(
    fc.record({
      keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }),
      isDelete: fc.boolean(),
    }),
    { minLength: 3, maxLength: 15 },
  ),
  cuts: fc.array(fc.constantFrom('answer', 'answer', 'progress', 'reconnect', 'none'), {
    minLength: 15,
    maxLength: 15,
  }),
  rangeEnd: fc.constantFrom('', 'c', '\0'),
  filters: fc.constantFrom<number[]>([], [WatchFilter.noPut], [WatchFilter.noDelete]),
  prevKv: fc.boolean(),
});
type Delivery = typeof delivery extends fc.Arbitrary<infer T> ? T : never;

function deliver({ writes, cuts, ...fields }: Delivery): Story {
  const story = new Story();
  for (const { keys, isDelete } of writes) {
    const success = keys.map((key) =>
      isDelete
        ? { kind: 'deleteRange' as const, request: deleteRequest(key) }
        : { kind: 'put' as const, request: putRequest(key, `v${story.machine.revision}`) },
    );
    story.do('txn', txnRequest({ success }));
  }
  let watch = story.watch('a', { ...fields, startRevision: 2 }).created();
  let waiting: number[] = [];
  const flush = () => {
    const wanted = waiting.filter((revision) => watch.wanted(revision).length > 0);
    if (wanted.length > 0) watch.events(...wanted);
    waiting = [];
  };
  for (let revision = 2; revision <= story.machine.revision; revision++) {
    waiting.push(revision);
    const cut = cuts[revision % cuts.length]!;
    if (cut !== 'none') flush();
    if (cut === 'progress') watch.progress(revision);
    if (cut !== 'reconnect') continue;
    watch.ended();
    watch = story.watch('a', { ...fields, startRevision: revision + 1 }).created();
  }
  flush();
  return story;
}

test('any right delivery breaks nothing', () => {
  fc.assert(
    fc.property(delivery, (plan) => {
      const story = deliver(plan);
      const settledRevision = story.machine.revision;
      assert.deepEqual(checkWatchGuarantees(story.history, story.truth, { settledRevision }), []);
    }),
    { numRuns: 150 },
  );
});

/** Each changes one thing about the events of a watch; false if there is nothing to change. */
const corruptions: Record<string, (events: any[], pick: number) => boolean> = {
  'an event left out': (events, pick) => events.splice(pick % events.length, 1).length > 0,
  'an event doubled': (events, pick) => {
    const at = pick % events.length;
    events.splice(at, 0, structuredClone(events[at]));
    return true;
  },
  'an event changed': (events, pick) => {
    events[pick % events.length].kv.value += '!';
    return true;
  },
  'an event moved to another revision': (events, pick) => {
    events[pick % events.length].kv.modRevision++;
    return true;
  },
  'a previous pair invented': (events, pick) => {
    const event = events[pick % events.length];
    event.prevKv = { ...event.kv, value: 'invented', version: 7 };
    return true;
  },
  'two events exchanged': (events, pick) => {
    if (events.length < 2) return false;
    const at = pick % (events.length - 1);
    [events[at], events[at + 1]] = [events[at + 1], events[at]];
    return true;
  },
};

test('one corruption of a right delivery is caught', () => {
  let spoilt = 0;
  fc.assert(
    fc.property(
      delivery,
      fc.constantFrom(...Object.keys(corruptions)),
      fc.nat(),
      fc.nat(),
      (plan, name, pickAnswer, pick) => {
        const story = deliver(plan);
        const watches = structuredClone(story.history.watches) as WatchRecord[];
        const answers = watches
          .flatMap(({ arrivals }) => arrivals)
          .filter(({ response }) => response.events.length > 0);
        fc.pre(answers.length > 0);
        const { events } = answers[pickAnswer % answers.length]!.response;
        fc.pre(corruptions[name]!(events, pick));
        // An answer without events would be a progress.
        fc.pre(events.length > 0);
        const history: History = { ...story.history, watches };
        const settledRevision = story.machine.revision;
        const violations = checkWatchGuarantees(history, story.truth, { settledRevision });
        assert.ok(violations.length > 0, `${name} passed`);
        spoilt++;
      },
    ),
    { numRuns: 250 },
  );
  assert.ok(spoilt >= 200);
});
