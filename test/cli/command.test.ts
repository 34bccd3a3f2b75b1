/** How words find a command: cobra's rules. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findCommand, suggestions } from '../../src/cli/command.js';
import { CTL, KVORUMCTL } from '../../src/cli/ctl-commands.js';

function find(...args: string[]): { words: string; rest: string[]; unknown: string | undefined } {
  const { path, args: rest, unknown } = findCommand(CTL, args, KVORUMCTL.reserved);
  return {
    words: path
      .map(({ name }) => name)
      .slice(1)
      .join(' '),
    rest,
    unknown,
  };
}

describe('findCommand', () => {
  const found: [string[], string, string[]][] = [
    [[], '', []],
    [['get', 'k'], 'get', ['k']],
    [['ver'], 'version', []],
    [['pu', 'k', 'v'], 'put', ['k', 'v']],
    [['mem', 'l'], 'member list', []],
    [['lease', 'gran', '5'], 'lease grant', ['5']],
    [['en', 'st', 'x'], 'endpoint status', ['x']],
    [['get', 'get'], 'get', ['get']],
    [['lease', 'nonsense'], 'lease', ['nonsense']],
    [['-w', 'json', 'get', 'k'], 'get', ['-w', 'json', 'k']],
    [['-w=json', 'get'], 'get', ['-w=json']],
    [['--hex', 'get', 'k'], 'get', ['--hex', 'k']],
    [['--endpoints', 'get', 'put', 'k'], 'put', ['--endpoints', 'get', 'k']],
    [['endpoint', '--cluster', 'status'], 'endpoint status', ['--cluster']],
    [['-h', 'lease'], '', ['-h', 'lease']],
    [['--', 'get', 'k'], '', ['--', 'get', 'k']],
    [['', 'get'], 'get', ['']],
  ];
  for (const [args, words, rest] of found) {
    test(args.join(' ') || '(nothing)', () => {
      assert.deepEqual(find(...args), { words, rest, unknown: undefined });
    });
  }

  const unknown: [string[], string][] = [
    [['gett'], 'gett'],
    [['GET', 'k'], 'GET'],
    // The flag is not known where the command is looked for, and takes a word with it.
    [['--prefix', 'get', 'k'], 'k'],
    [['-h', 'get', 'k'], 'k'],
    // Ambiguous with a command that only etcdctl has: lock, elect, check.
    [['l', 'g', '5'], 'l'],
    [['e', 'status'], 'e'],
    [['c', '5'], 'c'],
    [['auth', 'status'], 'auth'],
    [['de', '--cluster'], 'de'],
  ];
  for (const [args, word] of unknown) {
    test(`${args.join(' ')} is unknown`, () => assert.equal(find(...args).unknown, word));
  }
});

describe('suggestions', () => {
  const cases: [string, string[]][] = [
    ['gett', ['get']],
    ['Get', ['get', 'put', 'del']],
    ['gt', ['get', 'put']],
    ['ptu', ['put']],
    ['xyzzy', []],
  ];
  for (const [word, names] of cases) {
    test(word, () => assert.deepEqual(suggestions(CTL, word), names));
  }
});
