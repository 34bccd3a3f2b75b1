/** `txn`: three sections of lines on standard input, each ended by an empty line. */
import type { Compare, RequestOp, TxnRequest } from '../../api/index.js';
import { findCommand, flagsOf, type Command } from '../command.js';
import { badArgs } from '../exit.js';
import { FlagError, parseFlags, type ParsedFlags } from '../flag-set.js';
import type { Input } from '../host.js';
import { line, result, type Output } from '../output.js';
import type { Session } from '../session.js';
import { deleteRequest, warnOfRange } from './del.js';
import { rangeRequest } from './get.js';
import { DEL_FLAGS, GET_FLAGS, PUT_FLAGS } from './kv-flags.js';
import { putRequest } from './put.js';
import { invalidInput, parseCompare, wordsOf } from './txn-lines.js';

export async function* txn(
  { flags, positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  if (positional.length > 0) throw badArgs('txn command does not accept argument');
  const prompts = flags.bool('interactive');
  const { stdin } = session.host;
  if (prompts) yield line('compares:');
  const compare: Compare[] = [];
  for await (const text of section(stdin)) compare.push(parseCompare(text));
  if (prompts) yield line('success requests (get, put, del):');
  const success = yield* requests(stdin, session);
  if (prompts) yield line('failure requests (get, put, del):');
  const failure = yield* requests(stdin, session);
  const request: TxnRequest = { compare, success, failure };
  const client = await session.client();
  yield result({ kind: 'txn', response: await client.kv.txn(request) });
}

/** The lines up to an empty one, blanks around them removed. */
async function* section(stdin: Input): AsyncGenerator<string> {
  for (;;) {
    const text = await stdin.readLine();
    if (text === undefined) throw invalidInput('EOF');
    const trimmed = text.replace(/^[\t-\r ]+|[\t-\r ]+$/g, '');
    if (trimmed === '') return;
    yield trimmed;
  }
}

async function* requests(stdin: Input, session: Session): AsyncGenerator<Output, RequestOp[]> {
  const ops: RequestOp[] = [];
  for await (const text of section(stdin)) ops.push(yield* parseRequest(text, session));
  return ops;
}

/** The commands that may stand in a transaction. */
const REQUESTS: Command = {
  name: '',
  summary: '',
  subcommands: [
    { name: 'put', summary: '', flags: PUT_FLAGS },
    { name: 'get', summary: '', flags: GET_FLAGS },
    { name: 'del', summary: '', flags: DEL_FLAGS },
  ],
};

async function* parseRequest(text: string, session: Session): AsyncGenerator<Output, RequestOp> {
  const words = wordsOf(text);
  if (words.length < 2) throw invalidInput(`invalid txn compare request: ${text}`);
  const { path, args } = findCommand(REQUESTS, words);
  const { flags, positional } = parseLine(path, args, text);
  switch (path.at(-1)!.name) {
    case 'put':
      // Standard input is the transaction itself: no value is left to be read from it.
      return { kind: 'put', request: await putRequest(flags, positional, async () => '') };
    case 'get':
      return { kind: 'range', request: rangeRequest(flags, positional) };
    case 'del': {
      const request = deleteRequest(flags, positional);
      yield* warnOfRange(flags, request, session);
      return { kind: 'deleteRange', request };
    }
    default:
      throw invalidInput(`invalid txn request: ${text}`);
  }
}

function parseLine(path: Command[], args: string[], text: string): ParsedFlags {
  try {
    const parsed = parseFlags(flagsOf(path), args);
    if (!parsed.flags.bool('help')) return parsed;
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
  }
  throw invalidInput(`invalid txn request: ${text}`);
}
