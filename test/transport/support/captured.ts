/** HTTP answers as text, and those that a real etcd gave. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

export interface Answer {
  status: string;
  headers: Record<string, string>;
  body: string;
}

/** The head and body of one answer, as text; headers are sorted away by name. */
export function parseAnswer(text: string): Answer {
  const [head = '', body = ''] = text.split(/\r?\n\r?\n(.*)/s);
  const [status = '', ...lines] = head.split(/\r?\n/);
  const pairs = lines.map((line) => line.split(': ') as [string, string]);
  return {
    status,
    headers: Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value])),
    body,
  };
}

/** What a real etcd 3.5.16 answered. */
export function captured(name: string): Answer {
  const url = new URL(`../../../../test/fixtures/transport/${name}.txt`, import.meta.url);
  const text = readFileSync(url, 'latin1').split('-----BEGIN response-----\n')[1]!;
  return parseAnswer(text.split('\n-----END response-----')[0]!);
}

/** The same status line and body, and every header that etcd sent, but for ids, dates and versions. */
export function assertLikeEtcd(answer: Answer, expected: Answer): void {
  assert.equal(answer.status, expected.status);
  assert.equal(answer.body.trimEnd(), expected.body.trimEnd());
  for (const [name, value] of Object.entries(expected.headers)) {
    assert.ok(answer.headers[name] !== undefined, `no header ${name}`);
    if (!/^(date|x-etcd-cluster-id|x-server-version)$/.test(name)) {
      assert.equal(answer.headers[name], value, name);
    }
  }
}
