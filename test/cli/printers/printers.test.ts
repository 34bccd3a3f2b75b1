/** Answers in every format, against what etcdctl printed for the same answers. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type {
  KeyValue,
  LeaseGrantResponse,
  RangeResponse,
  ResponseHeader,
  StatusResponse,
  TxnResponse,
  WatchResponse,
} from '../../../src/api/index.js';
import type { Result } from '../../../src/cli/output.js';
import { printerFor } from '../../../src/cli/printers/index.js';
import { captured } from '../support/captures.js';

function print(format: string, result: Result, hex = false): string {
  return printerFor(format)(result, hex);
}

const header: ResponseHeader = {
  clusterId: 324952591200643719n,
  memberId: 3319814642761637952n,
  revision: 25,
  raftTerm: 2,
};

function pair(key: string, value: string, revision: number): KeyValue {
  return {
    key,
    value,
    createRevision: revision,
    modRevision: revision,
    version: 1,
    lease: 0n,
  };
}

function get(response: Partial<RangeResponse>): Result {
  return {
    kind: 'get',
    valueOnly: false,
    response: { kvs: [], more: false, count: 0, ...response },
  };
}

describe('get', () => {
  const binary = get({ header, kvs: [pair('bin', '\0\x01\xff\n', 25)], count: 1 });
  const text = 'h\xc3\xa9\xc3\xa9"q"\t<&>';
  const unicode = get({
    header: { ...header, revision: 26 },
    kvs: [pair('uni', text, 26)],
    count: 1,
  });

  test('binary: as it is', () => assert.equal(print('simple', binary), captured('089-get-binary')));
  test('binary: hex', () =>
    assert.equal(print('simple', binary, true), captured('090-get-binary-hex')));
  test('binary: json', () => assert.equal(print('json', binary), captured('091-get-binary-json')));
  test('binary: fields', () =>
    assert.equal(print('fields', binary), captured('092-get-binary-fields')));
  test('unicode: fields', () =>
    assert.equal(print('fields', unicode), captured('093-get-unicode-fields')));
  test('unicode: json', () =>
    assert.equal(print('json', unicode), captured('094-get-unicode-json')));

  test('protobuf is the bytes of the answer', () => {
    const kv = { ...pair('k1', 'v1c', 17), modRevision: 24, version: 3 };
    const result = get({ header: { ...header, revision: 24 }, kvs: [kv], count: 1 });
    assert.equal(print('protobuf', result), captured('042-get-protobuf'));
  });

  test('only values', () => {
    const response = { kvs: [pair('a', '1', 2), pair('b', '', 3)], more: false, count: 2 };
    const result: Result = { kind: 'get', valueOnly: true, response };
    assert.equal(print('simple', result), '1\n\n');
    assert.equal(print('simple', result, true), '\\x31\n\n');
  });

  test('--hex in fields writes ids in hex, keys as before', () => {
    const result = get({ header, kvs: [{ ...pair('k', 'v', 3), lease: 0x123n }], count: 1 });
    const lines = print('fields', result, true).split('\n');
    assert.ok(lines.includes('"ClusterID" : 48276a8f75b6a87'));
    assert.ok(lines.includes('"Key" : "k"'));
    assert.ok(lines.includes('"Lease" : 0000000000000123'));
  });

  test('there is no table', () =>
    assert.throws(() => print('table', binary), {
      exitCode: 4,
      message: 'table not supported as output format',
    }));
});

describe('txn', () => {
  const nested = { clusterId: 0n, memberId: 0n, revision: 7, raftTerm: 0 };
  const response: TxnResponse = {
    header: { ...header, revision: 7 },
    succeeded: true,
    responses: [
      { kind: 'put', response: { header: nested } },
      {
        kind: 'range',
        response: { header: nested, kvs: [pair('k1', 'new value', 7)], more: false, count: 1 },
      },
      { kind: 'deleteRange', response: { header: nested, deleted: 0, prevKvs: [] } },
    ],
  };

  test('simple', () =>
    assert.equal(print('simple', { kind: 'txn', response }), captured('108-txn-success')));

  test('json wraps each answer, and nested headers show their revision only', () => {
    const text = print('json', { kind: 'txn', response });
    assert.ok(
      text.includes('"responses":[{"Response":{"response_put":{"header":{"revision":7}}}},'),
    );
    assert.ok(
      text.endsWith('{"Response":{"response_delete_range":{"header":{"revision":7}}}}]}\n'),
    );
  });

  test('a transaction in a transaction', () => {
    const outer: TxnResponse = {
      succeeded: false,
      responses: [{ kind: 'txn', response: { succeeded: true, responses: [] } }],
    };
    assert.equal(print('simple', { kind: 'txn', response: outer }), 'FAILURE\n\nSUCCESS\n');
    assert.equal(
      print('json', { kind: 'txn', response: outer }),
      '{"responses":[{"Response":{"response_txn":{"succeeded":true}}}]}\n',
    );
  });
});

describe('leases', () => {
  const granted: LeaseGrantResponse = {
    header: { ...header, revision: 43 },
    id: 2324035723356026496n,
    ttl: 600,
    error: '',
  };
  test('grant: json', () =>
    assert.equal(
      print('json', { kind: 'leaseGrant', response: granted }),
      captured('177-lease-grant-json'),
    ));
  test('grant: simple', () =>
    assert.equal(
      print('simple', { kind: 'leaseGrant', response: granted }),
      'lease 2040a22d57f43680 granted with TTL(600s)\n',
    ));
  test('grant: protobuf is the header alone, as from etcdctl', () => {
    const bytes = Buffer.from(
      print('protobuf', { kind: 'leaseGrant', response: granted }),
      'latin1',
    );
    assert.equal(bytes.toString('hex'), '0887d5edba8fd59dc10410c0c0caafc1ba96892e182b2002');
  });

  const left = {
    header: { ...header, revision: 46 },
    id: 2324035723356026494n,
    ttl: 599,
    grantedTtl: 600,
    keys: [],
  };
  test('timetolive: json', () =>
    assert.equal(
      print('json', { kind: 'leaseTimeToLive', response: left, keys: false }),
      captured('193-lease-timetolive-json'),
    ));
  test('timetolive: simple, with keys', () =>
    assert.equal(
      print('simple', {
        kind: 'leaseTimeToLive',
        response: { ...left, keys: ['a', 'b'] },
        keys: true,
      }),
      'lease 2040a22d57f4367e granted with TTL(600s), remaining(599s), attached keys([a b])\n',
    ));
  test('a negative id is printed with its sign', () =>
    assert.equal(
      print('simple', {
        kind: 'leaseTimeToLive',
        response: { id: -1n, ttl: -1, grantedTtl: 0, keys: [] },
        keys: false,
      }),
      'lease -000000000000001 already expired\n',
    ));
  test('an empty list', () => {
    const result: Result = { kind: 'leaseList', response: { leases: [] } };
    assert.equal(print('simple', result), 'found 0 leases\n');
    assert.equal(print('json', result), '{"leases":[]}\n');
  });
});

describe('watch', () => {
  const response: WatchResponse = {
    header,
    watchId: 0n,
    created: false,
    canceled: false,
    compactRevision: 0,
    cancelReason: '',
    fragment: false,
    events: [
      { type: 'put', kv: pair('k', '2', 4), prevKv: pair('k', '1', 3) },
      {
        type: 'delete',
        kv: { key: 'k', value: '', createRevision: 0, modRevision: 5, version: 0, lease: 0n },
      },
    ],
  };
  test('simple', () =>
    assert.equal(print('simple', { kind: 'watch', response }), 'PUT\nk\n1\nk\n2\nDELETE\nk\n\n'));
  test('json', () => {
    const text = print('json', { kind: 'watch', response });
    assert.ok(text.includes('"Events":[{"kv":{"key":"aw==","create_revision":4'));
    assert.ok(text.includes('{"type":1,"kv":{"key":"aw==","mod_revision":5}}]'));
    assert.ok(text.endsWith('"CompactRevision":0,"Canceled":false,"Created":false}\n'));
  });
});

describe('members and endpoints', () => {
  const member = {
    id: 0xffffffffffffffffn,
    name: '<m&1>',
    peerUrls: ['http://a', 'http://b'],
    clientUrls: [],
    isLearner: true,
  };
  const list: Result = { kind: 'memberList', response: { header, members: [member] } };

  test('rows', () =>
    assert.equal(
      print('simple', list),
      'ffffffffffffffff, started, <m&1>, http://a,http://b, , true\n',
    ));
  test('ids are exact in json, and strings of hex with --hex', () => {
    assert.ok(print('json', list).includes('"members":[{"ID":18446744073709551615,'));
    assert.ok(print('json', list, true).includes('"members":[{"ID":"ffffffffffffffff",'));
    assert.ok(print('json', list, true).includes('"cluster_id":"48276a8f75b6a87"'));
  });
  test('json escapes what Go escapes', () =>
    assert.ok(print('json', list).includes('"name":"\\u003cm\\u00261\\u003e"')));

  const status: StatusResponse = {
    header,
    version: '3.6.0',
    dbSize: 0,
    leader: 3319814642761637952n,
    raftIndex: 9,
    raftTerm: 2,
    raftAppliedIndex: 9,
    errors: [],
    dbSizeInUse: 0,
    isLearner: false,
    storageVersion: '',
    dbSizeQuota: 0,
    downgradeInfo: { enabled: false, targetVersion: '' },
  };
  test('a size of 0 does not divide by zero', () =>
    assert.equal(
      print('simple', { kind: 'endpointStatus', list: [{ endpoint: 'e', status }] }),
      'e, 2e1259d415f2a040, 3.6.0, , 0 B, 0 B, 0%, 0 B, true, false, 2, 9, 9, , , false\n',
    ));
  test('no endpoints are null in json', () =>
    assert.equal(print('json', { kind: 'endpointStatus', list: [] }), 'null\n'));
  test('there is no protobuf', () =>
    assert.throws(() => print('protobuf', { kind: 'endpointStatus', list: [] }), {
      exitCode: 4,
      message: 'protobuf not supported as output format',
    }));
});

test('a format that does not exist', () => {
  assert.throws(() => printerFor('yaml'), { exitCode: 4, message: 'unsupported output format' });
  assert.throws(() => printerFor('toString'), { exitCode: 4 });
});

describe('alarms', () => {
  const raised = { memberId: 9937258085954801224n, alarm: 1 };
  const response = {
    header: {
      clusterId: 5852046769503766598n,
      memberId: 9937258085954801224n,
      revision: 1,
      raftTerm: 2,
    },
    alarms: [raised],
  };
  const result: Result = { kind: 'alarms', response };
  const none: Result = { kind: 'alarms', response: { alarms: [] } };

  test('simple', () => {
    assert.equal(print('simple', result), 'memberID:9937258085954801224 alarm:NOSPACE \n');
    assert.equal(print('simple', none), '');
  });
  test('json', () => {
    assert.equal(
      print('json', result, true),
      '{"header":{"cluster_id":5852046769503766598,"member_id":9937258085954801224,"revision":1,"raft_term":2},"alarms":[{"memberID":9937258085954801224,"alarm":1}]}\n',
    );
    assert.equal(print('json', none), '{}\n');
  });
  test('fields', () => {
    const head = '"ClusterID" : 5852046769503766598\n"MemberID" : 9937258085954801224\n';
    const rest = '"Revision" : 1\n"RaftTerm" : 2\n';
    const entry = '"MemberID" : 9937258085954801224\n"AlarmType" : NOSPACE\n\n';
    assert.equal(print('fields', result), head + rest + entry);
    const [, , , , id] = print('fields', result, true).split('\n');
    assert.equal(id, '"MemberID" : 89e83b944eb6ce48');
  });
  test('kinds without a name', () => {
    const odd: Result = {
      kind: 'alarms',
      response: {
        alarms: [
          { memberId: 0n, alarm: 0 },
          { memberId: 1n, alarm: 2 },
          { memberId: 1n, alarm: 7 },
        ],
      },
    };
    assert.equal(print('simple', odd), '\nmemberID:1 alarm:CORRUPT \nmemberID:1 alarm:7 \n');
  });
});

describe('changes of members', () => {
  const cluster = { ...header, clusterId: 0xf4dd9ba1e7e66b6cn };
  const started = {
    id: 0x4fdfe4dbbd68eaafn,
    name: 'b1',
    peerUrls: ['http://127.0.0.1:24801'],
    clientUrls: ['http://127.0.0.1:24791'],
    isLearner: false,
  };
  const added = {
    id: 0x4ddccc2e7a75ecan,
    name: '',
    peerUrls: ['http://127.0.0.1:24804', 'http://127.0.0.1:24805'],
    clientUrls: [],
    isLearner: true,
  };
  const members = [added, started];
  const add: Result = {
    kind: 'memberAdd',
    name: 'b"4',
    peerUrls: 'http://127.0.0.1:24805,http://127.0.0.1:24804',
    response: { header: cluster, member: added, members },
  };
  const remove: Result = {
    kind: 'memberChange',
    change: 'removed from',
    id: added.id,
    response: { header: cluster, members: [started] },
  };

  test('an addition prints the settings to start the member with', () =>
    assert.equal(
      print('simple', add),
      `Member  4ddccc2e7a75eca added as learner to cluster f4dd9ba1e7e66b6c

ETCD_NAME="b\\"4"
ETCD_INITIAL_CLUSTER="b\\"4=http://127.0.0.1:24804,b\\"4=http://127.0.0.1:24805,b1=http://127.0.0.1:24801"
ETCD_INITIAL_ADVERTISE_PEER_URLS="http://127.0.0.1:24805,http://127.0.0.1:24804"
ETCD_INITIAL_CLUSTER_STATE="existing"
`,
    ));
  test('json', () => {
    assert.match(
      print('json', add),
      /"member":\{"ID":350661483486994122,"peerURLs":\["http:\/\/127\.0\.0\.1:24804","http:\/\/127\.0\.0\.1:24805"\],"isLearner":true\},"members":\[\{"ID":350661483486994122,/,
    );
    assert.match(
      print('json', remove, true),
      /"members":\[\{"ID":5755570481229523631,"name":"b1",/,
    );
  });
  test('a removal', () =>
    assert.equal(
      print('simple', remove),
      'Member  4ddccc2e7a75eca removed from cluster f4dd9ba1e7e66b6c\n',
    ));
  test('there are no fields', () => {
    for (const result of [add, remove]) {
      assert.throws(() => print('fields', result), {
        exitCode: 4,
        message: 'fields not supported as output format',
      });
    }
  });
});

describe('move-leader', () => {
  const result: Result = { kind: 'moveLeader', from: 0xc40983f094a605fn, to: 1n, response: {} };
  test('simple', () =>
    assert.equal(print('simple', result), 'Leadership transferred from c40983f094a605f to 1\n'));
  test('json', () => assert.equal(print('json', result), '{}\n'));
});

describe('snapshot files, as etcdutl 3.6.16 prints them', () => {
  const status: Result = {
    kind: 'snapshotStatus',
    status: {
      hash: 3357181036,
      revision: 22,
      totalKey: 19,
      totalSize: 20480,
      version: '3.6.0',
    },
  };
  const hash: Result = {
    kind: 'snapshotHash',
    hash: { hash: 755857414, hashRevision: 22, compactRevision: -1 },
  };
  const expected: [string, string, string][] = [
    ['simple', 'c81a846c, 22, 19, 20 kB, 3.6.0\n', '755857414, 22, -1\n'],
    [
      'json',
      '{"hash":3357181036,"revision":22,"totalKey":19,"totalSize":20480,"version":"3.6.0"}\n',
      '{"hash":755857414,"hashRevision":22,"compactRevision":-1}\n',
    ],
    [
      'fields',
      '"Hash" : 3357181036\n"Revision" : 22\n"Keys" : 19\n"Size" : 20480\n"Version" : 3.6.0\n',
      '"Hash" : 755857414\n"Hash revision" : 22\n"Compact revision" : -1\n',
    ],
    [
      'table',
      `+----------+----------+------------+------------+---------+
|   HASH   | REVISION | TOTAL KEYS | TOTAL SIZE | VERSION |
+----------+----------+------------+------------+---------+
| c81a846c |       22 |         19 |      20 kB |   3.6.0 |
+----------+----------+------------+------------+---------+
`,
      `+-----------+---------------+------------------+
|   HASH    | HASH REVISION | COMPACT REVISION |
+-----------+---------------+------------------+
| 755857414 |            22 |               -1 |
+-----------+---------------+------------------+
`,
    ],
  ];
  for (const [format, statusText, hashText] of expected) {
    test(format, () => {
      assert.equal(print(format, status), statusText);
      assert.equal(print(format, hash), hashText);
    });
  }
});
