/** The metrics that etcd's alert rules and dashboards read, in a cluster to which something happens. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { open } from '../../src/embed/index.js';
import { Client } from './support/client.js';
import { InProcessServer } from './support/in-process.js';
import { freePort } from './support/ports.js';

/** Series by name and labels. */
type Page = Map<string, number>;

function parse(text: string): Page {
  const page: Page = new Map();
  const types = new Set<string>();
  for (const line of text.trimEnd().split('\n')) {
    const type = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line);
    if (type !== null) types.add(type[1]!);
    if (line.startsWith('#')) continue;
    const [, series, name, value] = /^((\w+)(?:\{.*\})?) (\S+)$/.exec(line)!;
    assert.ok(types.has(name!) || types.has(name!.replace(/_(bucket|sum|count)$/, '')), line);
    assert.ok(!page.has(series!), line);
    page.set(series!, Number(value));
    assert.ok(!Number.isNaN(page.get(series!)), line);
  }
  return page;
}

async function pageOf(url: string): Promise<Page> {
  const response = await fetch(`${url}/metrics`);
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  return parse(await response.text());
}

/** The sum of all series of a name whose labels match. */
function sum(page: Page, name: string, labels = /./): number {
  return [...page]
    .filter(
      ([series]) => series.split('{')[0] === name && (labels.test(series) || !series.includes('{')),
    )
    .reduce((total, [, value]) => total + value, 0);
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within 20 s: ${what}`);
    await sleep(50);
  }
}

describe('a cluster of three', () => {
  let members: InProcessServer[];
  let metricsUrl: string;
  let client: Client;

  before(async () => {
    const ports = [await freePort(), await freePort(), await freePort()];
    metricsUrl = `http://127.0.0.1:${await freePort()}`;
    const initialCluster = ports.map((port, index) => ({
      name: `m${index}`,
      peerUrls: [`http://127.0.0.1:${port}`],
    }));
    members = await Promise.all(
      ports.map((peerPort, index) =>
        InProcessServer.launch({
          peerPort,
          config: { name: `m${index}`, initialCluster },
          ...(index === 0 && { listenMetricsUrls: [metricsUrl], metrics: 'extensive' as const }),
        }),
      ),
    );
    await Promise.all(members.map((member) => member.serveClients()));
    client = new Client(`127.0.0.1:${members[0]!.clientPort}`);
  });
  after(async () => {
    client.close();
    await Promise.all(members.map((member) => member.stop()));
  });

  test('requests, the disk and the keyspace', async () => {
    const first = await pageOf(metricsUrl);
    await client.put('a', 'x'.repeat(10_000));
    await client.range('a');
    await assert.rejects(client.compact(1000));
    const page = await pageOf(metricsUrl);
    const moved = (name: string, labels?: RegExp): number =>
      sum(page, name, labels) - sum(first, name, labels);
    assert.equal(moved('grpc_server_started_total', /KV.*"Put"/), 1);
    assert.equal(moved('grpc_server_handled_total', /"Put".*"OK"/), 1);
    assert.equal(moved('grpc_server_handled_total', /"Compact".*"OutOfRange"/), 1);
    assert.equal(moved('grpc_server_handling_seconds_count', /"unary".*"Range"/), 1);
    assert.equal(moved('grpc_server_handling_seconds_bucket', /"Range",le="\+Inf"/), 1);
    assert.ok(moved('etcd_network_client_grpc_received_bytes_total') > 10_000);
    assert.ok(moved('etcd_network_client_grpc_sent_bytes_total') > 10_000);
    assert.ok(moved('etcd_disk_wal_fsync_duration_seconds_bucket', /le="\+Inf"/) > 0);
    assert.ok(moved('etcd_disk_wal_write_bytes_total') > 10_000);
    assert.ok(moved('etcd_server_proposals_committed_total') >= 2);
    assert.ok(moved('etcd_server_proposals_applied_total') >= 2);
    assert.equal(moved('etcd_mvcc_put_total'), 1);
    assert.equal(moved('etcd_mvcc_range_total'), 1);
    assert.equal(moved('etcd_debugging_mvcc_keys_total'), 1);
    assert.equal(sum(page, 'etcd_server_quota_backend_bytes'), 2 * 1024 ** 3);
    assert.equal(sum(page, 'etcd_server_has_leader'), 1);
    assert.ok(sum(page, 'process_resident_memory_bytes') > 1e6);
    await until('a commit of the backend, which is then larger', async () => {
      const later = await pageOf(metricsUrl);
      const size = sum(later, 'etcd_mvcc_db_total_size_in_bytes');
      const used = sum(later, 'etcd_mvcc_db_total_size_in_use_in_bytes');
      const commits = sum(later, 'etcd_disk_backend_commit_duration_seconds_bucket', /\+Inf/);
      return commits > 0 && used > 10_000 && used <= size;
    });
    const basic = await pageOf(`http://127.0.0.1:${members[1]!.clientPort}`);
    assert.ok(![...basic.keys()].some((name) => name.startsWith('grpc_server_handling')));
    assert.equal((await fetch(`${metricsUrl}/version`)).status, 404);
  });

  test('peers that are far, a leader that changes, proposals that fail', async () => {
    const [first, second, third] = members as [InProcessServer, InProcessServer, InProcessServer];
    await until('round trips', async () => {
      const trips = 'etcd_network_peer_round_trip_time_seconds_bucket';
      return sum(await pageOf(metricsUrl), trips, /To=.*\+Inf/) >= 2;
    });
    const before = await pageOf(metricsUrl);
    assert.ok(sum(before, 'etcd_network_peer_sent_bytes_total') > 0);
    assert.ok(sum(before, 'etcd_network_peer_received_bytes_total') > 0);
    assert.equal(sum(before, 'etcd_network_active_peers'), 2);

    const leader = members.find(({ store }) => store.member.isLeader)!;
    const next = leader === first ? second : first;
    await leader.store.member.transferLeadership(next.store.member.memberId);
    await until('a change of leader', async () => {
      const changes = 'etcd_server_leader_changes_seen_total';
      return sum(await pageOf(metricsUrl), changes) > sum(before, changes);
    });

    await Promise.all([second.stop(), third.stop()]);
    const lost = first.store.put('b', 'c');
    const settled = assert.rejects(lost);
    await until('failures', async () => {
      const page = await pageOf(metricsUrl);
      return (
        sum(page, 'etcd_network_peer_sent_failures_total') >
          sum(before, 'etcd_network_peer_sent_failures_total') &&
        sum(page, 'etcd_network_disconnected_peers_total') >= 2 &&
        sum(page, 'etcd_network_active_peers') === 0 &&
        sum(page, 'etcd_server_has_leader') === 0 &&
        sum(page, 'etcd_server_proposals_pending') === 1
      );
    });
    const health = await fetch(`${metricsUrl}/health`);
    assert.equal(await health.text(), '{"health":"false","reason":"RAFT NO LEADER"}');
    assert.equal((await fetch(`${metricsUrl}/livez`)).status, 200);
    const { registry } = first.store.member.metrics;
    await first.stop();
    await settled;
    assert.ok(sum(parse(registry.page()), 'etcd_server_proposals_failed_total') >= 1);
  });
});

test('livez and readyz', async () => {
  const store = await open({ memory: true });
  const { port } = await store.listen('http://127.0.0.1:0');
  const ask = async (path: string, method = 'GET'): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return `${response.status} ${await response.text()}`;
  };
  try {
    assert.equal(await ask('/livez'), '200 ok\n');
    assert.equal(await ask('/livez?verbose'), '200 [+]serializable_read ok\nok\n');
    assert.equal(
      await ask('/readyz/linearizable_read?verbose'),
      '200 [+]linearizable_read ok\nok\n',
    );
    assert.equal(await ask('/livez/linearizable_read'), '404 404 page not found\n');
    assert.equal(await ask('/readyz/nothing'), '404 404 page not found\n');
    assert.match(await ask('/readyz', 'POST'), /^405 /);

    const alarm = { action: 1, memberId: store.member.memberId };
    await store.member.propose({ kind: 'alarm', request: { ...alarm, alarm: 1 } });
    assert.equal(await ask('/readyz'), '200 ok\n');
    assert.match(await ask('/health'), /^503 .*ALARM NOSPACE/);
    assert.match(await ask('/health?exclude=NOSPACE'), /^200 /);

    await store.member.propose({ kind: 'alarm', request: { ...alarm, alarm: 2 } });
    const failed =
      '503 [-]data_corruption failed: alarm activated: CORRUPT\n[+]serializable_read ok\n' +
      '[+]linearizable_read ok\n[+]non_learner ok\n\n';
    assert.equal(await ask('/readyz'), failed);
    assert.equal(await ask('/readyz?exclude=data_corruption'), '200 ok\n');
    assert.equal(await ask('/livez'), '200 ok\n');
    const page = await pageOf(`http://127.0.0.1:${port}`);
    assert.equal(sum(page, 'etcd_debugging_server_alarms'), 2);
    assert.ok(sum(page, 'etcd_server_healthchecks_total', /"data_corruption",status="error"/) >= 1);
    assert.equal(sum(page, 'etcd_server_healthcheck', /"readyz",name="data_corruption"/), 0);
    assert.equal(sum(page, 'etcd_server_health_failures'), 1);
  } finally {
    await store.close();
  }
});
