/** A call that comes from this process: no metadata, no deadline, never cancelled by a wire. */
import type { CallContext } from '../server/index.js';

export const LOCAL_CALL: CallContext = {
  metadata: () => undefined,
  remote: 'in-process',
  timeLeftMs: () => undefined,
  cancelled: false,
  onCancel: () => {},
};
