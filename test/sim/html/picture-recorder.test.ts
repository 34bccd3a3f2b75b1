import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FATES, OUTCOMES, rowsOf } from '../../../src/sim/html/viewer/picture.js';
import { Story, leaderKilled } from './story.js';

describe('the picture of a run', () => {
  it('joins sends with what became of them', () => {
    const { messages, members, texts } = leaderKilled().picture(1000);
    const told = rowsOf(messages).map((row) => [
      row.atUs,
      row.tookUs,
      `${members[row.from]} ${members[row.to]}`,
      `${texts[row.type]} ${texts[row.text]}`,
      FATES[row.fate],
    ]);
    assert.deepEqual(told, [
      [100_000, 3000, 'n3 n1', 'vote term 2', 'received'],
      [160_000, 5000, 'n3 n1', 'append term 2 index 4', 'received'],
      [160_000, 10_000, 'n3 n2', 'append term 2 index 4', 'lost'],
      [200_000, 0, 'n3 n2', 'heartbeat term 2', 'underWay'],
    ]);
  });

  it('shows a repeated message twice, but not a repeated loss', () => {
    const story = new Story()
      .at(1, 'send', 'n1', 1, 'n2', 'append')
      .at(2, 'receive', 'n2', 1)
      .at(4, 'receive', 'n2', 1)
      .at(5, 'drop', 'n2', 1);
    const rows = rowsOf(story.picture(10).messages);
    assert.deepEqual(
      rows.map(({ tookUs, fate }) => [tookUs, FATES[fate]]),
      [
        [1000, 'received'],
        [3000, 'repeated'],
      ],
    );
  });

  it('knows in which state each member is when', () => {
    const { stretches, members } = leaderKilled().picture(1000);
    const third = stretches
      .filter(({ member }) => members[member] === 'n3')
      .map(({ fromUs, untilUs, state, term }) => [fromUs / 1000, untilUs / 1000, state, term]);
    assert.deepEqual(third, [
      [0, 10, 'starting', 0],
      [10, 100, 'follower', 1],
      [100, 110, 'candidate', 2],
      [110, 200, 'leader', 2],
      [200, 1000, 'down', 0],
    ]);
  });

  it('lays pauses over the other states, until the member goes on, dies or the run ends', () => {
    const story = new Story()
      .at(1, 'role', 'n1', 'follower', 'term', 1)
      .at(2, 'node', 'n1', 'is paused')
      .at(4, 'node', 'n1', 'goes on')
      .at(5, 'node', 'n1', 'is paused')
      .at(6, 'node', 'n1', 'loses power')
      .at(7, 'node', 'n1', 'is paused');
    const pauses = story.picture(9).stretches.filter(({ state }) => state === 'paused');
    assert.deepEqual(
      pauses.map(({ fromUs, untilUs }) => [fromUs / 1000, untilUs / 1000]),
      [
        [2, 4],
        [5, 6],
        [7, 9],
      ],
    );
  });

  it('shows faults as bands that end when everything heals', () => {
    const story = leaderKilled();
    const hosts = ['n1', 'n2', 'n3'];
    const begin = (atMs: number, fault: { kind: string }) =>
      story.at(atMs, 'fault', '', fault.kind, JSON.stringify(fault), ...hosts);
    begin(300, { kind: 'partition', groups: [[2, 0]], forMs: 100 } as { kind: string });
    begin(310, { kind: 'cut', from: 0, to: 4, forMs: 900 } as { kind: string });
    begin(320, { kind: 'crash', node: 1, powerLoss: true, downMs: 50 } as { kind: string });
    story.at(500, 'fault', '', 'everything heals');
    const { faults } = story.picture(1000);
    assert.deepEqual(
      faults.map(({ fromUs, untilUs, label }) => [fromUs / 1000, untilUs / 1000, label]),
      [
        [300, 400, 'partition: n3 n1 | n2'],
        [310, 500, 'cut: n1 → n2'],
        [320, 320, 'n2 loses power'],
        [500, 500, 'everything heals'],
      ],
    );
    assert.deepEqual(faults[0]!.groups, [0, 1, 0]);
    assert.deepEqual(faults[1]!.members, [0, 1]);
  });

  it('shows what clients asked whom, and what they know of it', () => {
    const story = leaderKilled().put(2, 'n1', 'b', 400).watch(1, 'n2', 'a', 410, [420, 430]);
    const { operations, arrivals, clients, members, texts } = story.picture(1000);
    assert.deepEqual(
      rowsOf(operations).map((row) => [
        row.atUs / 1000,
        row.tookUs / 1000,
        `${clients[row.client]} ${members[row.member]}`,
        OUTCOMES[row.outcome],
        texts[row.text],
      ]),
      [
        [150, 30, 'c1 n3', 'ok', 'put key a, value v → ok at revision 7'],
        [400, 600, 'c2 n1', 'unknown', 'put key b, value v → unknown: the run ended first'],
        [410, 590, 'c1 n2', 'watch', 'watcher 1 key a (2 responses, open at the end)'],
      ],
    );
    assert.deepEqual(
      rowsOf(arrivals).map(({ atUs, watch, text }) => [atUs / 1000, watch, texts[text]]),
      [
        [420, 0, 'at revision 8'],
        [430, 0, 'at revision 8'],
      ],
    );
  });

  it('finds a violation at the operations that show it, or else at the end', () => {
    const story = leaderKilled().put(2, 'n1', 'b', 400, 450);
    const { violations } = story.picture(1000, [
      { promise: 'real-time-order', explanation: 'x', operations: [1, 0] },
      { promise: 'watch-ordered', explanation: 'no such watch', watches: [9] },
      { promise: 'durable-vote', explanation: `node ${0xccccccccccccn} voted for aaaaaaaaaaaa` },
    ]);
    assert.deepEqual(
      violations.map(({ fromUs, untilUs }) => [fromUs / 1000, untilUs / 1000]),
      [
        [150, 450],
        [1000, 1000],
        [1000, 1000],
      ],
    );
    assert.equal(violations[2]!.explanation, 'node n3 voted for n1');
  });

  it('keeps every line that is nothing else as a note, with names for ids', () => {
    const story = leaderKilled().at(500, 'log', 'n1', 'aaaaaaaaaaaa lost leader cccccccccccc');
    const { notes, members, texts } = story.picture(1000);
    const lines = rowsOf(notes).map(
      ({ member, kind, text }) => `${members[member]} ${texts[kind]} ${texts[text]}`,
    );
    assert.equal(lines.at(-1), 'n1 log n1 lost leader n3');
    assert.equal(lines[0], 'n1 node starts incarnation 0 member aaaaaaaaaaaa');
    assert.equal(lines.length, 10);
  });

  it('leaves out routine messages far from everything, and says so', () => {
    const story = leaderKilled();
    for (let i = 0; i < 100; i++) {
      story.at(1000 + i * 10, 'send', 'n1', 10 + i, 'n2', i % 2 === 0 ? 'heartbeat' : 'append');
    }
    story.at(1500, 'node', 'n2', 'is killed').at(1990, 'send', 'n1', 200, 'n2', 'timeoutNow');
    const { messages, texts, about } = story.picture(3000, [], 45);
    const kept = rowsOf(messages).map(({ atUs, type }) => `${texts[type]} ${atUs / 1000}`);
    assert.equal(kept.length, 45);
    assert.ok(kept.includes('timeoutNow 1990'));
    assert.ok(kept.includes('append 1490'), 'next to a crash');
    assert.ok(!kept.includes('heartbeat 1980'), 'far from everything');
    assert.equal(
      about.omitted.reduce((sum, [, count]) => sum + count, 0),
      60,
    );
    assert.deepEqual(about.omitted.map(([type]) => type).sort(), ['append', 'heartbeat']);
  });
});
