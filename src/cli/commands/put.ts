/** `put <key> [value]` */
import type { PutRequest } from '../../api/index.js';
import { badArgs } from '../exit.js';
import type { Flags, ParsedFlags } from '../flag-set.js';
import { ParseError, parseInt64 } from '../go-text/numbers.js';
import { result, type Output } from '../output.js';
import type { Session } from '../session.js';

export async function* put(
  { flags, positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output> {
  const request = await putRequest(flags, positional, () => session.host.stdin.readAll());
  const timed = session.timed();
  const client = await session.client();
  yield result({ kind: 'put', response: await client.kv.put(request, timed) });
}

/** The request that a put's arguments describe. A value that is missing is all of `readValue`. */
export async function putRequest(
  flags: Flags,
  args: readonly string[],
  readValue: () => Promise<string>,
): Promise<PutRequest> {
  const ignoreValue = flags.bool('ignore-value');
  if (args.length === 0) throw missingValue();
  if (ignoreValue && args.length > 1) {
    throw badArgs("put command needs only 1 argument when 'ignore-value' is set");
  }
  const value = ignoreValue ? '' : (args[1] ?? (await valueFrom(readValue)));
  return {
    key: args[0]!,
    value,
    lease: leaseOf(flags.string('lease')),
    prevKv: flags.bool('prev-kv'),
    ignoreValue,
    ignoreLease: flags.bool('ignore-lease'),
  };
}

async function valueFrom(readValue: () => Promise<string>): Promise<string> {
  const value = await readValue();
  if (value === '') throw missingValue();
  return value;
}

function missingValue(): Error {
  return badArgs('put command needs 1 argument and input from stdin or 2 arguments');
}

function leaseOf(text: string): bigint {
  try {
    return parseInt64(text, 16);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw badArgs(`bad lease ID (${error.message}), expecting ID in Hex`);
  }
}
