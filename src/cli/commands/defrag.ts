/** `defrag`: one member after the other, so that never all of them are busy with it. */
import { isEtcdError } from '../../api/index.js';
import { ExitCode } from '../exit.js';
import type { ParsedFlags } from '../flag-set.js';
import { formatDuration } from '../go-text/duration.js';
import { describeError } from '../go-text/status.js';
import { line, warning, type Output } from '../output.js';
import type { Session } from '../session.js';
import { endpointsOf } from './endpoint.js';

export async function* defrag(
  { flags }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output, number> {
  let exitCode: number = ExitCode.success;
  for (const endpoint of await endpointsOf(flags.bool('cluster'), session)) {
    const client = await session.clientFor(endpoint);
    const start = session.host.nanoseconds();
    const took = (): string => formatDuration(session.host.nanoseconds() - start);
    try {
      await client.maintenance.defragment(session.timed());
      yield line(`Finished defragmenting etcd member[${endpoint}]. took ${took()}`);
    } catch (error) {
      if (!isEtcdError(error)) throw error;
      exitCode = ExitCode.error;
      const why = describeError(error);
      yield warning(`Failed to defragment etcd member[${endpoint}]. took ${took()}. (${why})`);
    }
  }
  return exitCode;
}
