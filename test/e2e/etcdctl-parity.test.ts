/**
 * The same script of etcdctl commands is run by real etcdctl against real etcd and against the
 * server under test; output and exit codes must be equal. Both servers get the same ports, one after
 * the other, so that member and cluster ids, which are hashes of urls, must be equal as well; so
 * must all revisions and HashKV's hashes be.
 *
 * Kvorum follows etcd 3.6: a step that shows something else there than in 3.4 says so (`since36`).
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  defaultServer,
  etcdCommand,
  etcdInstallations,
  skipWithoutEtcd,
} from './support/binaries.js';
import type { EtcdInstallation, ServerCommand } from './support/binaries.js';
import { Cluster } from './support/cluster.js';
import type { Ports } from './support/cluster.js';
import { ScriptRunner } from './support/etcdctl-script.js';
import type { Expected, Outcome, Step } from './support/etcdctl-script.js';
import { Member } from './support/member.js';
import { clusterScript } from './support/parity-cluster-script.js';
import { memberScript } from './support/parity-member-script.js';
import { freePort } from './support/ports.js';

interface Rule {
  reason: string;
  commands: RegExp;
  from: RegExp;
  to: string | ((match: string) => string);
}

/** What is not compared, and why. Applied to both sides. */
const rules: readonly Rule[] = [
  {
    reason: 'how long it took',
    commands: /^(endpoint health|defrag)/,
    from: /(?<=took (?:= )?|"took":")[\d.]+(?:ms|\u00c2?µs|s)/g,
    to: 'TIME',
  },
  {
    reason: 'the seconds that a lease of 600 has left',
    commands: /^lease timetolive/,
    from: /\b59\d(?=s\)|,|\n)/g,
    to: '59N',
  },
  {
    reason: 'the key of a candidate ends with its lease, which is random',
    commands: /^elect/,
    from: /(?<=chair\/)[0-9a-f]+/g,
    to: 'LEASE',
  },
  {
    reason: 'the new member has a random id, and the list is sorted by id',
    commands: /^member add/,
    from: /(?<=ETCD_INITIAL_CLUSTER=")[^"]+/g,
    to: (list) => list.split(',').sort().join(','),
  },
  {
    reason: 'the random id of the new member may have fewer digits, and is then padded',
    commands: /^member/,
    from: / +(?=<learner>)/g,
    to: ' ',
  },
  {
    reason: 'each server has its own version, file format and number of log entries',
    commands: /^endpoint status/,
    from: /(?<=", |"|\| +|, )\d+\.\d+\.\d+(?=[", ])|[\d.]+ [kM]?B\b|\b\d+%|(?<="(dbSize|dbSizeInUse|raftIndex|raftAppliedIndex)":)\d+|(?<="(DBSize|DBSizeInUse|RaftIndex|RaftAppliedIndex)" : )\d+/g,
    to: 'N',
  },
  {
    reason: 'raft index and raft applied index, the numbers after the term',
    commands: /^endpoint status/,
    from: /(?<=(?:true|false), \d+, )\d+, \d+|(?<=\| +(?:true|false) \| +\d+ \|) +\d+ \| +\d+(?= \|)/g,
    to: ' N, N',
  },
  {
    reason: 'the width of a table column follows its content',
    commands: /^endpoint status .*-w table/,
    from: / {2,}|-{2,}/g,
    to: ' ',
  },
];

/** An election needs as many terms as it needs. */
const clusterRules: readonly Rule[] = [
  ...rules,
  {
    reason: 'how many terms the elections took',
    commands: /./,
    from: /(?<="(?:raft_term|raftTerm)":)\d+|(?<=(?:true|false), )\d+(?=, )|(?<=\| +(?:true|false) \| +)\d+/g,
    to: 'TERM',
  },
];

function applyRules(outcome: Outcome, applied: readonly Rule[]): Outcome {
  let { stdout, stderr } = outcome;
  for (const { commands, from, to } of applied) {
    if (!commands.test(outcome.run)) continue;
    const replace = typeof to === 'string' ? () => to : to;
    stdout = stdout.replaceAll(from, replace);
    stderr = stderr.replaceAll(from, replace);
  }
  return { ...outcome, stdout, stderr };
}

function checkExpected(actual: Outcome, expected: Expected): void {
  assert.equal(actual.exit, expected.exit, `${actual.run}: exit`);
  assert.match(actual.stdout, expected.stdout, actual.run);
  assert.match(actual.stderr, expected.stderr, actual.run);
}

/** Every step is compared; the failure lists all that differ. */
function compare(
  steps: readonly Step[],
  [etcd, tested]: readonly [Outcome[], Outcome[]],
  applied: readonly Rule[],
  version: string,
): void {
  const differences: string[] = [];
  for (const [i, step] of steps.entries()) {
    const [expected, actual] = [etcd[i] as Outcome, tested[i] as Outcome];
    try {
      if (step.since36 && version.startsWith('3.4.')) checkExpected(actual, step.since36);
      else assert.deepEqual(applyRules(actual, applied), applyRules(expected, applied));
    } catch (error) {
      differences.push(`etcdctl ${step.run}\n${(error as Error).message}`);
    }
  }
  assert.equal(differences.length, 0, `\n${differences.join('\n\n')}`);
}

async function memberRun(ctl: string, server: ServerCommand, ports: Ports): Promise<Outcome[]> {
  const member = await Member.start({ server, ...ports });
  try {
    const runner = new ScriptRunner(ctl, member.endpoint);
    runner.name('peer', member.peerUrl);
    return await runner.run(memberScript);
  } finally {
    await member.stop();
  }
}

async function clusterRun(ctl: string, server: ServerCommand, ports: Ports[]): Promise<Outcome[]> {
  const cluster = await Cluster.start(ports, { server });
  try {
    const runner = new ScriptRunner(ctl, cluster.members[0]?.endpoint ?? '');
    runner.name('all', cluster.endpoints);
    for (const [i, member] of cluster.members.entries()) {
      runner.name(`m${i + 1}`, member.endpoint);
      runner.name(`id${i + 1}`, BigInt(await cluster.memberId(i)).toString(16));
    }
    await cluster.makeLeader(0);
    return await runner.run(clusterScript);
  } finally {
    await cluster.stop();
  }
}

async function choosePorts(): Promise<Ports> {
  return { clientPort: await freePort(), peerPort: await freePort() };
}

function suite(etcd: EtcdInstallation): void {
  const timeout = 180_000;
  test(`${memberScript.length} commands to one member`, { timeout }, async () => {
    const ports = await choosePorts();
    const expected = await memberRun(etcd.ctl, etcdCommand(etcd), ports);
    const actual = await memberRun(etcd.ctl, defaultServer(), ports);
    compare(memberScript, [expected, actual], rules, etcd.version);
  });

  test(`${clusterScript.length} commands to three members`, { timeout }, async () => {
    const ports = [await choosePorts(), await choosePorts(), await choosePorts()];
    const expected = await clusterRun(etcd.ctl, etcdCommand(etcd), ports);
    const actual = await clusterRun(etcd.ctl, defaultServer(), ports);
    compare(clusterScript, [expected, actual], clusterRules, etcd.version);
  });
}

const skip = skipWithoutEtcd();
if (skip) test('etcdctl against etcd and against Kvorum', { skip }, () => {});
for (const etcd of etcdInstallations) describe(`etcdctl ${etcd.version}`, () => suite(etcd));
