/** `version` */
import { line, type Output } from '../output.js';
import { packageVersion } from '../package-version.js';

/** The etcdctl that this program's output equals. */
const ETCDCTL_VERSION = '3.6.16';
const API_VERSION = '3.6';

/** etcdctl's two lines, for scripts that look for them, then our own. */
export async function* version(): AsyncGenerator<Output> {
  yield line(`etcdctl version: ${ETCDCTL_VERSION}`);
  yield line(`API version: ${API_VERSION}`);
  yield line(`kvorumctl version: ${packageVersion()}`);
}
