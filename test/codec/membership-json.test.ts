import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Member } from '../../src/api/index.js';
import {
  DecodeError,
  confStateJson,
  downgradeJson,
  memberAttributesJson,
  memberContextJson,
  memberJson,
  membersJson,
  storeV2Json,
  type Codec,
} from '../../src/codec/index.js';
import { confState, member, uint64Bigint } from './arbitraries.js';
import { plain } from './values.js';

const LARGEST = 2n ** 64n - 1n;
const m1: Member = {
  id: 10276657743932975437n,
  name: 'm1',
  peerUrls: ['http://127.0.0.1:2380'],
  clientUrls: ['http://127.0.0.1:2379'],
  isLearner: false,
};

function print<T>(codec: Codec<T>, value: T): string {
  return Buffer.from(codec.encode(value)).toString('utf8');
}

function read<T>(codec: Codec<T>, text: string): T {
  return codec.decode(Buffer.from(text, 'utf8'));
}

test('a member is printed as etcd prints it, its id to the last digit', () => {
  const text =
    '{"id":10276657743932975437,"peerURLs":["http://127.0.0.1:2380"],"name":"m1",' +
    '"clientURLs":["http://127.0.0.1:2379"]}';
  assert.equal(print(memberJson, m1), text);
  assert.deepEqual(read(memberJson, text), m1);
});

test('a learner that has not started has neither name nor client urls', () => {
  const learner = { ...m1, id: LARGEST, name: '', clientUrls: [], isLearner: true };
  const text = '{"id":18446744073709551615,"peerURLs":["http://127.0.0.1:2380"],"isLearner":true}';
  assert.equal(print(memberJson, learner), text);
  assert.deepEqual(read(memberJson, text), learner);
});

test('a promotion names the id alone', () => {
  const text = '{"id":5,"peerURLs":null,"isPromote":true}';
  const promotion = { id: 5n, name: '', peerUrls: [], clientUrls: [], isLearner: false };
  assert.equal(print(memberContextJson, { ...promotion, isPromote: true }), text);
  assert.deepEqual(read(memberContextJson, text), { ...promotion, isPromote: true });
  assert.equal(read(memberContextJson, print(memberJson, m1)).isPromote, false);
});

test('attributes', () => {
  const text = '{"name":"m1","clientURLs":["http://127.0.0.1:2379"]}';
  const attributes = { name: m1.name, clientUrls: m1.clientUrls };
  assert.equal(print(memberAttributesJson, attributes), text);
  assert.deepEqual(read(memberAttributesJson, text), attributes);
});

test('a ConfState leaves out empty lists', () => {
  const state = {
    voters: [LARGEST, 1n],
    learners: [],
    votersOutgoing: [],
    learnersNext: [],
    autoLeave: false,
  };
  assert.equal(
    print(confStateJson, state),
    '{"voters":[18446744073709551615,1],"auto_leave":false}',
  );
  assert.deepEqual(
    read(confStateJson, '{ "voters": [18446744073709551615, 1], "learners": null }'),
    state,
  );
});

test('a downgrade', () => {
  const text = '{"target-version":"","enabled":false}';
  assert.equal(print(downgradeJson, { targetVersion: '', enabled: false }), text);
  assert.deepEqual(read(downgradeJson, text), { targetVersion: '', enabled: false });
});

test('text is escaped as Go does', () => {
  const odd = { ...m1, id: 1n, name: '<a&b>"\\\u2028\u0001é😀', clientUrls: [] };
  const text = print(memberJson, odd);
  assert.ok(text.includes('"\\u003ca\\u0026b\\u003e\\"\\\\\\u2028\\u0001é😀"'), text);
  assert.deepEqual(read(memberJson, text), odd);
});

describe('round trips', () => {
  const ids = fc.uniqueArray(uint64Bigint, { maxLength: 3 });
  const ascending = (list: bigint[]) => list.sort((a, b) => (a < b ? -1 : 1));
  const store = fc.record({
    members: fc
      .uniqueArray(member, { maxLength: 3, selector: ({ id }) => id })
      .map((list) => list.sort((a, b) => (a.id < b.id ? -1 : 1))),
    removedIds: ids.map(ascending),
    clusterVersion: fc.constantFrom('', '3.5.0', '3.6.0'),
  });

  function check<T>(name: string, codec: Codec<T>, values: fc.Arbitrary<T>): void {
    test(name, () => {
      fc.assert(
        fc.property(values, (value) => {
          assert.deepEqual(codec.decode(codec.encode(value)), plain(value));
        }),
      );
    });
  }

  check('member', memberJson, member);
  check('members', membersJson, fc.array(member, { maxLength: 3 }));
  check(
    'context',
    memberContextJson,
    fc.tuple(member, fc.boolean()).map(([value, isPromote]) => ({ ...value, isPromote })),
  );
  check('ConfState', confStateJson, confState);
  check('v2 store', storeV2Json, store);

  test('our JSON is JSON', () => {
    fc.assert(
      fc.property(store, (value) => {
        JSON.parse(print(storeV2Json, value));
      }),
    );
  });
});

describe('v2 store', () => {
  test('is written in the reduced form that etcd 3.5 accepts', () => {
    const text = print(storeV2Json, {
      members: [{ ...m1, id: 0xabn, name: '', clientUrls: [] }],
      removedIds: [0xcdn],
      clusterVersion: '3.5.0',
    });
    assert.deepEqual(JSON.parse(text), {
      Root: {
        Path: '/',
        Children: {
          0: {
            Path: '/0',
            Children: {
              members: {
                Path: '/0/members',
                Children: {
                  ab: {
                    Path: '/0/members/ab',
                    Children: {
                      raftAttributes: {
                        Path: '/0/members/ab/raftAttributes',
                        Value: '{"peerURLs":["http://127.0.0.1:2380"]}',
                      },
                    },
                  },
                },
              },
              removed_members: {
                Path: '/0/removed_members',
                Children: { cd: { Path: '/0/removed_members/cd', Value: '' } },
              },
              version: { Path: '/0/version', Value: '3.5.0' },
            },
          },
          1: { Path: '/1', Children: {} },
        },
      },
      CurrentIndex: 0,
      CurrentVersion: 2,
    });
  });

  test('is read in the full form', () => {
    const file = (Path: string, Value: string) => ({
      Path,
      CreatedIndex: 4,
      ModifiedIndex: 4,
      ExpireTime: '0001-01-01T00:00:00Z',
      Value,
      Children: null,
    });
    const folder = (Path: string, Children: object) => ({ ...file(Path, ''), Children });
    const text = JSON.stringify({
      Root: folder('/', {
        0: folder('/0', {
          members: folder('/0/members', {
            '8e9e05c52164694d': folder('/0/members/8e9e05c52164694d', {
              attributes: file('', '{"name":"m1","clientURLs":["http://127.0.0.1:2379"]}'),
              raftAttributes: file('', '{"peerURLs":["http://127.0.0.1:2380"]}'),
            }),
          }),
          version: file('/0/version', '3.5.0'),
        }),
        1: folder('/1', {}),
      }),
      WatcherHub: { EventHistory: { Queue: { Events: [null], Size: 0 }, LastIndex: 4 } },
      CurrentIndex: 4,
      Stats: { getsSuccess: 1 },
      CurrentVersion: 2,
    });
    assert.deepEqual(read(storeV2Json, text), {
      members: [m1],
      removedIds: [],
      clusterVersion: '3.5.0',
    });
  });

  test('a member without urls or with a strange id is refused', () => {
    const withMembers = (members: string) =>
      `{"Root":{"Children":{"0":{"Children":{"members":{"Children":${members}}}}}}}`;
    assert.throws(() => read(storeV2Json, withMembers('{"ab":{"Children":null}}')), DecodeError);
    const urls = '{"Children":{"raftAttributes":{"Value":"{\\"peerURLs\\":[\\"x\\"]}"}}}';
    assert.equal(read(storeV2Json, withMembers(`{"ab":${urls}}`)).members[0]?.id, 0xabn);
    assert.throws(() => read(storeV2Json, withMembers(`{"xy":${urls}}`)), DecodeError);
  });
});

test('JSON that is broken, or not the right JSON, is refused', () => {
  const refused = [
    '',
    '{',
    '{"id":1',
    '{"id":}',
    '{"id":1,}',
    '{"id":01}',
    '{"id":1}x',
    '[]',
    'null',
    '5',
    '{"id":-1}',
    '{"id":18446744073709551616}',
    '{"id":1.5}',
    '{"id":1e3}',
    '{"id":"1"}',
    '{"name":5}',
    '{"peerURLs":"x"}',
    '{"peerURLs":[5]}',
    '{"isLearner":1}',
    '{"name":"\\x"}',
    '{"name":"\n"}',
    "{'name':''}",
    '{"name":tru}',
    '['.repeat(100_000),
  ];
  for (const text of refused) {
    assert.throws(() => read(memberJson, text), DecodeError, JSON.stringify(text.slice(0, 40)));
  }
});

test('any JSON decodes or is refused, and means what JSON.parse says', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      try {
        read(memberJson, text);
      } catch (error) {
        assert.ok(error instanceof DecodeError, String(error));
      }
      JSON.parse(text);
    }),
    { numRuns: 300 },
  );
});
