/** What `watch` is asked to watch, from its arguments and the environment. */
import type { WatchCreateRequest } from '../../api/index.js';
import { watchOf } from '../../client/index.js';
import { badArgs } from '../exit.js';
import type { ParsedFlags } from '../flag-set.js';
import { goQuote } from '../go-text/quote.js';
import { keyRange } from './key-range.js';

export interface WatchArguments {
  /** Key and, maybe, range end. */
  keys: string[];
  /** The command to run for each event; empty for none. */
  exec: string[];
}

type Environment = Record<string, string | undefined>;

/**
 * Splits arguments into keys and command, and takes the key from ETCDCTL_WATCH_KEY when none is
 * given. Refuses `--` with nothing behind it, and a key in both places.
 */
export function watchArguments(parsed: ParsedFlags, env: Environment): WatchArguments {
  const keys = parsed.positional.slice(0, parsed.beforeSeparator);
  const exec = parsed.positional.slice(parsed.beforeSeparator);
  const fromEnvironment = environmentKeys(env);
  if (parsed.separated && exec.length === 0) {
    throw badArgs('bad number of arguments (found separator --, but no commands)');
  }
  if (fromEnvironment.length === 0) {
    if (keys.length === 0) throw badArgs('bad number of arguments');
    return { keys, exec };
  }
  if (keys.length > 0) throw badArgs('bad number of arguments (found conflicting environment key)');
  return { keys: fromEnvironment, exec };
}

function environmentKeys(env: Environment): string[] {
  const key = env['ETCDCTL_WATCH_KEY'] ?? '';
  const rangeEnd = env['ETCDCTL_WATCH_RANGE_END'] ?? '';
  if (key === '') return [];
  return rangeEnd === '' ? [key] : [key, rangeEnd];
}

/** A range end alone in the environment means nothing, whatever the arguments say. */
export function checkEnvironment(env: Environment): void {
  const rangeEnd = env['ETCDCTL_WATCH_RANGE_END'] ?? '';
  if ((env['ETCDCTL_WATCH_KEY'] ?? '') !== '' || rangeEnd === '') return;
  throw badArgs(`ETCDCTL_WATCH_KEY is empty but got ETCDCTL_WATCH_RANGE_END=${goQuote(rangeEnd)}`);
}

/** The request for those keys; arguments after the range end are passed over. */
export function watchRequest(keys: readonly string[], { flags }: ParsedFlags): WatchCreateRequest {
  const prefix = flags.bool('prefix');
  if (keys.length === 2 && prefix) {
    throw badArgs('`range_end` and `--prefix` are mutually exclusive');
  }
  const named = keys.length === 2 ? keys : keys.slice(0, 1);
  return {
    ...watchOf(''),
    ...keyRange(named, { prefix, fromKey: false }),
    startRevision: flags.int('rev'),
    progressNotify: flags.bool('progress-notify'),
    prevKv: flags.bool('prev-kv'),
  };
}
