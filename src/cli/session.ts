/** What a command may use besides its arguments: the cluster, the clock, standard input. */
import type { CallOptions, Client } from '../client/index.js';
import type { Host } from './host.js';

export interface Session {
  host: Host;
  /** Value of --write-out. */
  format(): string;
  /**
   * The client for --endpoints. The first call reads the environment and refuses what is wrong with
   * the global flags: commands check their own arguments before.
   */
  client(): Promise<Client>;
  /** A client for one endpoint. */
  clientFor(endpoint: string): Promise<Client>;
  /** The endpoints of --endpoints, blanks around them removed. */
  endpoints(): string[];
  /** Options of a call that may take --command-timeout from now on. */
  timed(): CallOptions;
}
