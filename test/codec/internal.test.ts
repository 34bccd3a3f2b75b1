import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { InvariantError, type InternalOp, type InternalRequest } from '../../src/api/index.js';
import { DecodeError, internalRequest } from '../../src/codec/index.js';
import { internalOp, internalRequest as anyRequest, uint64Bigint, v2Op } from './arbitraries.js';
import { bytes, hex, plain } from './values.js';

const header = 'a206 02 0807';
const put: InternalOp = {
  kind: 'put',
  request: {
    key: 'k',
    value: 'v',
    lease: 0n,
    prevKv: false,
    ignoreValue: false,
    ignoreLease: false,
  },
};

function request(op: InternalOp, id = 7n): InternalRequest {
  return { id, username: '', authRevision: 0, op };
}

test('a put is field 4, and its header field 100', () => {
  assert.equal(
    hex(internalRequest.encode(request(put))),
    hex(bytes(`2206 0a016b 120176 ${header}`)),
  );
  const named = { ...request(put), username: 'ann', authRevision: 3 };
  assert.equal(
    hex(internalRequest.encode(named)),
    hex(bytes('2206 0a016b 120176 a206 09 0807 1203616e6e 1803')),
  );
});

test('the operations of the cluster come behind the header', () => {
  assert.equal(
    hex(internalRequest.encode(request({ kind: 'clusterVersionSet', version: '3.6.0' }))),
    hex(bytes(`${header} a251 07 0a05332e362e30`)),
  );
});

test('field 1 is the id where an old member wrote it', () => {
  assert.equal(internalRequest.decode(bytes(`0809 2203 0a016b ${header}`)).id, 9n);
  assert.equal(internalRequest.decode(bytes(`2203 0a016b ${header}`)).id, 7n);
});

test('a v2 request is written bare, zeros included, and read again', () => {
  const published: InternalOp = { kind: 'v2', method: 'PUT', path: '/0/version', value: '3.5.0' };
  const written = internalRequest.encode(request(published));
  assert.equal(
    hex(written),
    hex(
      bytes(
        '0807 1203505554 1a0a2f302f76657273696f6e 2205332e352e30 2800 3200 3800' +
          '4800 5000 5800 6000 6800 7000 7800 800100',
      ),
    ),
  );
  assert.deepEqual(internalRequest.decode(written), request(published));
});

test('a v2 request inside InternalRaftRequest is the same, and needs no header', () => {
  const inside = bytes('1214 0807 1203505554 1a0a2f302f76657273696f6e'.replace('1214', '1213'));
  assert.deepEqual(
    internalRequest.decode(inside),
    request({ kind: 'v2', method: 'PUT', path: '/0/version', value: '' }),
  );
});

test('the bare v2 form and InternalRaftRequest are never taken for one another', () => {
  fc.assert(
    fc.property(uint64Bigint, v2Op, (id, op) => {
      assert.deepEqual(
        plain(internalRequest.decode(internalRequest.encode(request(op, id)))),
        plain(request(op, id)),
      );
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(anyRequest, (value) => {
      assert.equal(internalRequest.decode(internalRequest.encode(value)).op.kind, value.op.kind);
    }),
  );
});

test('operations without room here are told by name', () => {
  const fields: [tag: string, name: string][] = [
    ['c23e', 'auth_enable'],
    ['9a3f', 'auth_disable'],
    ['a23f', 'authenticate'],
    ['aa3f', 'auth_status'],
    ['e244', 'auth_user_add'],
    ['8245', 'auth_user_grant_role'],
    ['a24b', 'auth_role_list'.replace('list', 'revoke_permission')],
    ['e2ea04', 'downgrade_version_test'],
  ];
  for (const [tag, field] of fields) {
    const { op } = internalRequest.decode(bytes(`${header} ${tag} 00`));
    assert.deepEqual(op, { kind: 'unsupported', field });
  }
});

test('what no member could apply is refused', () => {
  const refused = {
    'no bytes': '',
    'no operation': header,
    'an unknown operation': `${header} 8a7f 00`,
    'no header': '2203 0a016b',
    'a broken operation': `2203 0a056b ${header}`,
    'a v2 request of no known method': '0807 1203474554 1a022f30',
    'a v2 request without a method': '0807 1a022f30',
  };
  for (const [name, text] of Object.entries(refused)) {
    assert.throws(() => internalRequest.decode(bytes(text)), DecodeError, name);
  }
});

test('an unsupported operation cannot be written', () => {
  const op: InternalOp = { kind: 'unsupported', field: 'auth_enable' };
  assert.throws(() => internalRequest.encode(request(op)), InvariantError);
});

test('every operation round trips under every id', () => {
  fc.assert(
    fc.property(uint64Bigint, internalOp, (id, op) => {
      assert.deepEqual(
        plain(internalRequest.decode(internalRequest.encode(request(op, id)))),
        plain(request(op, id)),
      );
    }),
    { numRuns: 300 },
  );
});
