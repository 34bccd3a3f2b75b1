import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Script } from 'node:vm';
import { pageOf } from '../../../src/sim/html/page.js';
import { PictureRecorder } from '../../../src/sim/html/picture-recorder.js';
import { viewerScript } from '../../../src/sim/html/viewer-script.js';
import { writeSeedPage } from '../../../src/sim/html/write-page.js';
import { scenarioOf } from '../../../src/sim/profiles.js';
import { Simulation } from '../../../src/sim/simulation.js';
import { Story, leaderKilled } from './story.js';

const VOID = new Set(['meta', 'input', 'br']);

/** Every element that is opened is closed, in order. */
function assertWellFormed(page: string): void {
  assert.ok(page.startsWith('<!doctype html>'));
  const markup = page.replace(/<(script|style)([^>]*)>[^]*?<\/\1>/g, '<$1$2></$1>');
  const open: string[] = [];
  for (const [, slash, name] of markup.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
    if (slash === '/') assert.equal(open.pop(), name);
    else if (!VOID.has(name!)) open.push(name!);
  }
  assert.deepEqual(open, []);
}

function dataOf(page: string): unknown {
  return JSON.parse(/<script type="application\/json" id="data">([^]*?)<\/script>/.exec(page)![1]!);
}

describe('the page', () => {
  it('is well-formed and carries its data, whatever is in it', () => {
    const nasty = '</script><b>&"<!--';
    const story = leaderKilled().at(300, 'log', 'n1', nasty);
    const picture = story.picture(1000, [{ promise: nasty, explanation: nasty }]);
    const page = pageOf({ ...picture, about: { ...picture.about, title: nasty, command: nasty } });
    assertWellFormed(page);
    assert.deepEqual((dataOf(page) as { texts: string[] }).texts, picture.texts);
    assert.ok(!page.includes(nasty));
  });

  it('needs nothing but itself', () => {
    const page = pageOf(leaderKilled().picture(1000));
    assert.doesNotMatch(page, /https?:|\/\/[a-z]+\.[a-z]/i);
    assert.doesNotMatch(page, /\b(?:src|href)\s*=|@import|url\(|\bimport\b|\bfetch\(/);
    assert.match(page, /default-src 'none'/);
  });

  it('has a program that compiles, and names all elements that it looks for', () => {
    const script = viewerScript();
    assert.doesNotThrow(() => new Script(`'use strict'; {${script}}`));
    assert.doesNotMatch(script, /^(?:import|export)\b/m);
    const page = pageOf(leaderKilled().picture(1000));
    const ids = [...script.matchAll(/\b(?:byId|on)\('([\w-]+)'/g)].map(([, id]) => id!);
    assert.ok(ids.length > 10);
    for (const id of ids) assert.ok(page.includes(`id="${id}"`), id);
  });

  it('says how a run ended, where promises broke, how to run it again, and what is left out', () => {
    assert.match(pageOf(leaderKilled().picture(1000)), /every promise was kept/);
    const broken = [{ promise: 'no-lost-write', explanation: 'put 0 is gone', operations: [0] }];
    const page = pageOf(leaderKilled().picture(1000, broken, 3));
    assert.match(page, /1 promise broken/);
    assert.match(page, /data-violation="0"><b>no-lost-write<\/b><span>put 0 is gone<\/span>/);
    assert.match(page, /at 0\.150 s/);
    assert.match(page, /npm run sim -- --seed 7/);
    assert.match(page, /Left out.*: 1 append/);
  });

  it('shows a whole run', async () => {
    const scenario = scenarioOf(1, { profile: 'everything', members: 3, seconds: 5 });
    const recorder = new PictureRecorder();
    const result = await new Simulation(scenario, { trace: recorder.listener }).run();
    const picture = recorder.picture(result, { title: 'Seed 1', command: 'again' });
    assert.deepEqual(picture.members, ['n1', 'n2', 'n3']);
    assert.ok(picture.messages.atUs.length > 500, 'messages');
    assert.ok(picture.commits.atUs.length > 50, 'commits');
    assert.equal(
      picture.operations.atUs.length,
      result.history.operations.length + result.history.watches.length,
    );
    assert.ok(
      picture.operations.member.every((member) => member >= 0),
      'members that were asked',
    );
    assert.ok(picture.stretches.some(({ state }) => state === 'leader'));
    assert.ok(picture.faults.length > 0, 'faults');
    const folder = mkdtempSync(join(tmpdir(), 'kvorum-page-'));
    try {
      const file = join(folder, 'run.html');
      const options = { profile: 'everything', seconds: 5 } as const;
      writeSeedPage(file, { scenario, options, result, recorder });
      const page = readFileSync(file, 'utf8');
      assertWellFormed(page);
      assert.match(page, />npm run sim -- --seed 1 --profile everything --seconds 5</);
      assert.match(page, new RegExp(result.traceHash));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('stays under 5 MB with ten times the messages of such a run', () => {
    const story = new Story();
    for (let id = 1; id <= 100_000; id++) {
      const details = ['append', 'term', 12, 'index', id, 'logTerm', 12, 'entries', 1] as const;
      story.at(id / 3, 'send', 'n1', id, 'n2', ...details, 'commit', id - 1);
      story.at(id / 3 + 1.234, 'receive', 'n2', id);
    }
    const page = pageOf(story.picture(34_000));
    assert.ok(page.length < 5e6, `${page.length} bytes`);
    assert.match(page, /60000 append/);
  });
});
