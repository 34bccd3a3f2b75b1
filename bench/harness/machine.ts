/** What everything was measured on and with. */
import { cpus } from 'node:os';

/** As `npm start` runs the server: more room for young objects, so that fewer of them are copied. */
export const NODE_OPTIONS = ['--max-semi-space-size=64'];

export function machineText(): string {
  const [first] = cpus();
  return `${cpus().length} x ${first?.model}, Node ${process.version} ${NODE_OPTIONS.join(' ')}`;
}
