/** `version`, of both programs */
import { line, type Output } from '../output.js';
import { packageVersion } from '../package-version.js';

/** The etcdctl and etcdutl whose output these programs' equals. */
const ETCD_VERSION = '3.6.16';
const API_VERSION = '3.6';

/** etcdctl's two lines, for scripts that look for them, then our own. */
export async function* version(): AsyncGenerator<Output> {
  yield* lines('etcdctl', 'kvorumctl');
}

/** The same for etcdutl's. */
export async function* utlVersion(): AsyncGenerator<Output> {
  yield* lines('etcdutl', 'kvorumutl');
}

function* lines(theirs: string, ours: string): Generator<Output> {
  yield line(`${theirs} version: ${ETCD_VERSION}`);
  yield line(`API version: ${API_VERSION}`);
  yield line(`${ours} version: ${packageVersion()}`);
}
