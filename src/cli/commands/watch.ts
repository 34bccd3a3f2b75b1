/** `watch [key] [range_end] [-- command]` and `watch -i` */
import { etcdError, isEtcdError, type Event, type WatchResponse } from '../../api/index.js';
import { latin1FromUtf8 } from '../../bytes/index.js';
import type { Client } from '../../client/index.js';
import { CommandError, ExitCode, badArgs } from '../exit.js';
import { FlagError, parseFlags, type ParsedFlags } from '../flag-set.js';
import { goQuote, goQuoteAll } from '../go-text/quote.js';
import { describeError } from '../go-text/status.js';
import { line, result, warning, type Output } from '../output.js';
import type { Session } from '../session.js';
import { WATCH_FLAGS } from './kv-flags.js';
import { Merge } from './merge.js';
import { invalidInput, wordsOf } from './txn-lines.js';
import {
  checkEnvironment,
  watchArguments,
  watchRequest,
  type WatchArguments,
} from './watch-args.js';

export async function* watch(
  parsed: ParsedFlags,
  session: Session,
): AsyncGenerator<Output, number | void> {
  checkEnvironment(session.host.env);
  if (parsed.flags.bool('interactive')) return yield* interactive(session);
  const wanted = watchArguments(parsed, session.host.env);
  const request = watchRequest(wanted.keys, parsed);
  const client = await session.client();
  const exitCode = yield* follow(client.watch.watch(request), wanted, session);
  if (exitCode !== ExitCode.success) return exitCode;
  throw new CommandError(ExitCode.interrupted, 'watch is canceled by the server');
}

/** Prints a watch to its end. Returns an exit code other than 0 when a command failed. */
async function* follow(
  responses: AsyncIterable<WatchResponse>,
  { exec }: WatchArguments,
  session: Session,
): AsyncGenerator<Output, number> {
  try {
    for await (const response of responses) {
      if (response.canceled) yield warning(`watch was canceled (${cancelReason(response)})`);
      if (isProgress(response)) yield line(`progress notify: ${response.header!.revision}`);
      yield result({ kind: 'watch', response });
      for (const event of exec.length > 0 ? response.events : []) {
        const failure = await session.host.run(exec, eventVariables(response, event));
        if (failure === undefined) continue;
        yield warning(`command ${goQuoteAll(exec)} error (${failure})`);
        return ExitCode.error;
      }
    }
  } catch (error) {
    if (!isEtcdError(error)) throw error;
    yield warning(`watch was canceled (${describeError(error)})`);
  }
  return ExitCode.success;
}

function cancelReason(response: WatchResponse): string {
  if (response.compactRevision !== 0) return etcdError('compacted').message;
  return latin1FromUtf8(response.cancelReason || etcdError('futureRev').message);
}

function isProgress(response: WatchResponse): boolean {
  const { events, canceled, created, compactRevision, header } = response;
  return (
    events.length === 0 && !canceled && !created && compactRevision === 0 && !!header?.revision
  );
}

function eventVariables(response: WatchResponse, event: Event): Record<string, string> {
  return {
    ETCD_WATCH_REVISION: String(response.header?.revision ?? 0),
    ETCD_WATCH_EVENT_TYPE: goQuote(event.type.toUpperCase()),
    ETCD_WATCH_KEY: goQuote(event.kv.key),
    ETCD_WATCH_VALUE: goQuote(event.kv.value),
  };
}

/** Lines `watch …` and `progress` from standard input, until that ends or a line is malformed. */
async function* interactive(session: Session): AsyncGenerator<Output, number | void> {
  const client = await session.client();
  const merge = new Merge<Output>();
  const reading = readLines(session, client, merge).catch((error: unknown) => merge.fail(error));
  const exitCode = yield* merge.read();
  await reading;
  return exitCode;
}

async function readLines(session: Session, client: Client, merge: Merge<Output>): Promise<void> {
  for (;;) {
    const text = await session.host.stdin.readLine();
    if (text === undefined) throw invalidInput('error reading watch request line: EOF');
    obey(text, session, client, merge);
  }
}

/** Carries out one line; what it prints goes to `merge`. */
function obey(text: string, session: Session, client: Client, merge: Merge<Output>): void {
  const words = wordsOf(text);
  const invalid = (why: string): void => merge.push(warning(`Invalid command ${text} (${why})`));
  switch (words[0]) {
    case undefined:
      return merge.push(warning(`Invalid command: ${text} (watch and progress supported)`));
    case 'progress':
      return client.watch.requestProgress();
    case 'watch':
      if (words.length < 2 && !session.host.env['ETCDCTL_WATCH_KEY']) {
        return invalid('command type or key is not provided');
      }
      return startWatch(words.slice(1), session, client, merge, invalid);
    default:
      return invalid('only support watch');
  }
}

function startWatch(
  words: string[],
  session: Session,
  client: Client,
  merge: Merge<Output>,
  invalid: (why: string) => void,
): void {
  const parsed = parseWatchLine(words);
  const wanted = watchArguments(parsed, session.host.env);
  let request;
  try {
    request = watchRequest(wanted.keys, parsed);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return invalid(error.message);
  }
  merge.add(follow(client.watch.watch(request), wanted, session));
}

/** Every line starts from the flags' defaults. */
function parseWatchLine(words: string[]): ParsedFlags {
  try {
    return parseFlags(WATCH_FLAGS, words);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    throw badArgs(error.message);
  }
}
