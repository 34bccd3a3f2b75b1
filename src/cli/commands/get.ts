/** `get <key> [range_end]` */
import { SortOrder, SortTarget, type RangeRequest } from '../../api/index.js';
import { rangeOf } from '../../client/index.js';
import { CommandError, ExitCode, badArgs } from '../exit.js';
import type { Flags, ParsedFlags } from '../flag-set.js';
import { goQuote } from '../go-text/quote.js';
import { result, type Output } from '../output.js';
import type { Session } from '../session.js';
import { keyRange } from './key-range.js';

export async function* get(
  { flags, positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  const request = rangeRequest(flags, positional);
  const timed = session.timed();
  const client = await session.client();
  const response = await client.kv.range(request, timed);
  const valueOnly = flags.bool('print-value-only');
  if (flags.bool('count-only') && session.format() !== 'fields') {
    throw badArgs('--count-only is only for `--write-out=fields`');
  }
  if (valueOnly && session.format() !== 'simple') {
    throw badArgs('print-value-only is only for `--write-out=simple`');
  }
  yield result({ kind: 'get', response, valueOnly });
}

/** The request that a get's arguments describe. */
export function rangeRequest(flags: Flags, args: readonly string[]): RangeRequest {
  if (args.length === 0) {
    throw badArgs('get command needs one argument as key and an optional argument as range_end');
  }
  const range = keyRange(args, {
    prefix: flags.bool('prefix'),
    fromKey: flags.bool('from-key'),
  });
  const sortTarget = target(flags);
  const bounds = revisionBounds(flags);
  if (flags.bool('keys-only') && flags.bool('count-only')) {
    throw badArgs('`--keys-only` and `--count-only` cannot be set at the same time, choose one');
  }
  return {
    ...rangeOf(range.key),
    ...range,
    ...bounds,
    limit: flags.int('limit'),
    revision: flags.int('rev'),
    sortOrder: order(flags, sortTarget),
    sortTarget,
    serializable: isSerializable(flags.string('consistency')),
    keysOnly: flags.bool('keys-only'),
    countOnly: flags.bool('count-only'),
  };
}

/** --consistency: `l` or `s`. */
export function isSerializable(consistency: string): boolean {
  if (consistency === 'l' || consistency === 's') return consistency === 's';
  throw badFeature(`unknown consistency flag ${goQuote(consistency)}`);
}

const TARGETS: Record<string, number> = {
  '': SortTarget.key,
  CREATE: SortTarget.create,
  KEY: SortTarget.key,
  MODIFY: SortTarget.mod,
  VALUE: SortTarget.value,
  VERSION: SortTarget.version,
};

function target(flags: Flags): number {
  const text = flags.string('sort-by');
  const name = text.toUpperCase();
  if (!Object.hasOwn(TARGETS, name)) throw badFeature(`bad sort target ${text}`);
  return TARGETS[name]!;
}

/** Keys come in ascending order by themselves: that is sent as no order. */
function order(flags: Flags, sortTarget: number): number {
  const text = flags.string('order');
  switch (text.toUpperCase()) {
    case '':
      return SortOrder.none;
    case 'ASCEND':
      return sortTarget === SortTarget.key ? SortOrder.none : SortOrder.ascend;
    case 'DESCEND':
      return SortOrder.descend;
    default:
      throw badFeature(`bad sort order ${text}`);
  }
}

type Bounds = Pick<
  RangeRequest,
  'minCreateRevision' | 'maxCreateRevision' | 'minModRevision' | 'maxModRevision'
>;

function revisionBounds(flags: Flags): Bounds {
  const [minCreate, maxCreate] = [flags.int('min-create-rev'), flags.int('max-create-rev')];
  const [minMod, maxMod] = [flags.int('min-mod-rev'), flags.int('max-mod-rev')];
  if (maxCreate > 0 && minCreate > maxCreate) {
    throw badFeature(`getMinCreateRev(=${minCreate}) > getMaxCreateRev(=${maxCreate})`);
  }
  if (maxMod > 0 && minMod > maxMod) {
    throw badFeature(`getMinModRev(=${minMod}) > getMaxModRev(=${maxMod})`);
  }
  return {
    minCreateRevision: minCreate,
    maxCreateRevision: maxCreate,
    minModRevision: minMod,
    maxModRevision: maxMod,
  };
}

function badFeature(message: string): CommandError {
  return new CommandError(ExitCode.badFeature, message);
}
