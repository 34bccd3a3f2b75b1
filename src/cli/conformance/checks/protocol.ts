/** gRPC as clients meet it: metadata, unknown methods, fields of a later version, broken messages. */
import { Code, EtcdError } from '../../../api/index.js';
import * as codec from '../../../codec/index.js';
import type { Check } from '../check.js';
import { outcomeOf, putOf, statusOf, type Probe } from '../probe.js';
import { rangeOf } from '../../../client/index.js';

const PUT = '/etcdserverpb.KV/Put';
const RANGE = '/etcdserverpb.KV/Range';

async function statusOfCall(probe: Probe, path: string, message = Buffer.alloc(0)) {
  const outcome = await outcomeOf(probe.raw(path, message));
  return outcome instanceof EtcdError ? statusOf(outcome) : 'an answer';
}

export const PROTOCOL_CHECKS: readonly Check[] = [
  {
    name: 'protocol/unknown-method',
    promise: 'a method that the server lacks is Unimplemented, with the text clients look for',
    run: async (probe) => {
      const status = await statusOfCall(probe, '/etcdserverpb.KV/Nothing');
      const text = 'unknown method Nothing for service etcdserverpb.KV';
      probe.equal('status', status, `${Code.unimplemented} ${text}`);
    },
  },
  {
    name: 'protocol/unknown-service',
    promise: 'a service that the server lacks is Unimplemented',
    run: async (probe) => {
      const status = await statusOfCall(probe, '/nothing.Nothing/Nothing');
      probe.equal('status', status, `${Code.unimplemented} unknown service nothing.Nothing`);
    },
  },
  {
    name: 'protocol/broken-message',
    promise: 'bytes that are no message are Internal, and the connection goes on',
    run: async (probe) => {
      const status = await statusOfCall(probe, PUT, Buffer.from([0x0a, 0x7f, 0x61]));
      const code = Number(status.split(' ')[0]);
      probe.equal('code', code, Code.internal);
      await probe.put('a', '1');
    },
  },
  {
    name: 'protocol/unknown-fields',
    promise: 'fields that the server does not know are passed over',
    run: async (probe) => {
      const put = codec.putRequest.encode(putOf(probe.key('a'), '1'));
      const extra = Buffer.from([0xc2, 0x3e, 0x02, 0x68, 0x69]); // field 1000, bytes "hi"
      await probe.raw(PUT, Buffer.concat([put, extra]));
      probe.equal('value', (await probe.get('a')).kvs[0]?.value, '1');
    },
  },
  {
    name: 'protocol/metadata',
    promise: "unknown metadata, hasleader and a client's API version change nothing",
    run: async (probe) => {
      const range = codec.rangeRequest.encode(rangeOf(probe.key('a')));
      const metadata = { 'x-nobody-knows': '1', hasleader: 'true', 'client-api-version': '3.6.0' };
      const answer = codec.rangeResponse.decode(await probe.raw(RANGE, range, metadata));
      probe.equal('count', answer.count, 0);
    },
  },
  {
    name: 'protocol/deadline',
    promise: 'a deadline in the past is DeadlineExceeded and does nothing',
    run: async (probe) => {
      const past = { deadlineMs: Date.now() - 1 };
      const put = probe.call('Put with a deadline in the past', putOf(probe.key('a')), () =>
        probe.client.kv.put(putOf(probe.key('a')), past),
      );
      await probe.refused('Put', put, 'contextDeadlineExceeded');
      probe.equal('count', (await probe.get('a')).count, 0);
    },
  },
  {
    name: 'protocol/concurrent-calls',
    promise: 'five hundred calls at once on one connection are all answered',
    run: async (probe) => {
      const gets = Array.from({ length: 500 }, () => probe.get('a'));
      const answers = await Promise.all(gets);
      probe.startOver();
      probe.note('500 times Range {key: "P/a"} at once');
      probe.equal('answers', answers.filter(({ header }) => header !== undefined).length, 500);
    },
  },
  {
    name: 'protocol/range-stream',
    promise: 'RangeStream is Unimplemented, or brings what Range does (etcd 3.7)',
    run: async (probe) => {
      const names = Array.from({ length: 100 }, (_, i) => `k${100 + i}`);
      await probe.txn({
        success: names.map((name) => ({ kind: 'put', request: putOf(probe.key(name), name) })),
      });
      const request = { ...rangeOf(probe.prefix), rangeEnd: probe.prefixEnd };
      const keys: string[] = [];
      let count = 0;
      const read = probe.call('RangeStream', request, async () => {
        for await (const part of probe.client.kv.rangeStream(request, probe.timed())) {
          keys.push(...part.kvs.map(({ key }) => key));
          count += part.count;
        }
      });
      const outcome = await outcomeOf(read);
      if (outcome instanceof EtcdError) {
        const text = 'unknown method RangeStream for service etcdserverpb.KV';
        probe.equal('status', statusOf(outcome), `${Code.unimplemented} ${text}`);
        probe.notApplicable('the server has no RangeStream, which etcd has from 3.7 on');
      }
      probe.equal(
        'keys',
        keys,
        names.map((name) => probe.key(name)),
      );
      probe.equal('count of the last part', count, 100);
    },
  },
  {
    name: 'protocol/auth-is-off',
    promise: 'Authenticate is refused as not enabled where authentication is off',
    run: async (probe) => {
      const request = Buffer.from('\x0a\x04root\x12\x01x', 'latin1'); // name "root", password "x"
      const status = await statusOfCall(probe, '/etcdserverpb.Auth/Authenticate', request);
      if (status.startsWith(`${Code.unimplemented} `)) {
        probe.notApplicable('the server has no Auth service');
      }
      probe.equal(
        'status',
        status,
        `${Code.failedPrecondition} etcdserver: authentication is not enabled`,
      );
    },
  },
];
