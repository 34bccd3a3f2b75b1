/** A learner under load, with restarts on both sides; the same for a short and for a long run. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EtcdInstallation } from './binaries.js';
import { HostedLearner } from './hosted-learner.js';
import { MixedLoad } from './mixed-load.js';
import { Random } from './random.js';

export interface HostedLearnerRun {
  seed: number;
  /** The learner's first entries are gone from the log: it joins by snapshot. */
  shortLog: boolean;
  /** Under load, all rounds together. */
  seconds: number;
  /** One round: load with a restart in it, then the comparison. */
  roundSeconds: number;
}

/** Rejects when anything differs. Returns what was done, in one line. */
export async function runHostedLearner(
  etcd: EtcdInstallation,
  { seed, shortLog, seconds, roundSeconds }: HostedLearnerRun,
): Promise<string> {
  const random = new Random(seed);
  const hosted = await HostedLearner.create(etcd, { shortLog });
  try {
    const total = new Map<string, number>();
    await fill(hosted, etcd.version.startsWith('3.4.') && shortLog ? 5100 : 60);
    await hosted.join();
    await hosted.checkEqual();
    const rounds = Math.max(1, Math.round(seconds / roundSeconds));
    for (let round = 0; round < rounds; round++) {
      const load = new MixedLoad(hosted.hosts.clients, {
        random,
        workers: 4,
        pauseMs: 15,
        ttlsSeconds: [1, 2, 5, 600],
        refusedChanges: {
          voterId: await hosted.hosts.memberId(0),
          takenUrl: hosted.hosts.members[0]!.peerUrl,
        },
      });
      await sleep((roundSeconds * 1000) / 2);
      await restartSomebody(hosted, round, random);
      await sleep((roundSeconds * 1000) / 2);
      await load.stop();
      await hosted.checkEqual();
      for (const [kind, count] of load.counts) total.set(kind, (total.get(kind) ?? 0) + count);
    }
    const counts = [...total].map(([kind, count]) => `${count} ${kind}`).sort();
    return `${rounds} rounds, ${hosted.revisionsCompared} revisions equal; ${counts.join(', ')}`;
  } finally {
    await hosted.stop();
  }
}

/** So many entries before the learner is added. */
async function fill({ hosts }: HostedLearner, count: number): Promise<void> {
  const client = hosts.clients[await hosts.leader()]!;
  for (let i = 0; i < count; i += 50) {
    const puts = Array.from({ length: Math.min(50, count - i) }, (_, j) =>
      client.put(`fill/${(i + j) % 100}`, String(i + j)),
    );
    await Promise.all(puts);
  }
}

/** In turn: the learner, the leader, a follower; killed or asked to end. */
async function restartSomebody(
  hosted: HostedLearner,
  round: number,
  random: Random,
): Promise<void> {
  const signal = random.chance(0.5) ? 'SIGKILL' : 'SIGTERM';
  if (round % 3 === 0) {
    await hosted.learner.stop(signal);
    await hosted.restart();
    return;
  }
  const leader = await hosted.hosts.leader();
  const victim = round % 3 === 1 ? leader : (leader + 1) % 3;
  const member = hosted.hosts.members[victim]!;
  // A real etcd that is asked to end takes its time.
  member.process!.kill(signal);
  await member.process!.until(() => member.process!.exit !== undefined, 60_000, 'end of a host');
  await member.start();
}
