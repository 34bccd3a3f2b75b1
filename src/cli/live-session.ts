/** The session of a real command line. */
import type { Client, ConnectionOptions, TlsOptions } from '../client/index.js';
import { CommandError, ExitCode, badArgs } from './exit.js';
import type { Flags } from './flag-set.js';
import { keyPairRefusal } from './key-pair.js';
import { applyEnvironment, settings } from './global-flags.js';
import { osErrorText } from './go-text/os-error.js';
import type { Host } from './host.js';
import type { Session } from './session.js';

export class LiveSession implements Session {
  private readonly clients: Client[] = [];
  private shared: Client | undefined;
  private prepared = false;
  private explaining: Promise<void> | undefined;

  constructor(
    readonly host: Host,
    private readonly flags: Flags,
  ) {}

  format(): string {
    return this.flags.string('write-out');
  }

  endpoints(): string[] {
    return this.flags.list('endpoints').map((endpoint) => endpoint.trim());
  }

  timed(): { deadlineMs: number } {
    return { deadlineMs: Date.now() + milliseconds(this.flags.duration('command-timeout')) };
  }

  async client(): Promise<Client> {
    this.shared ??= await this.open(() => this.endpoints());
    return this.shared;
  }

  async clientFor(endpoint: string): Promise<Client> {
    return this.open(() => [endpoint]);
  }

  close(): void {
    for (const client of this.clients) client.close();
  }

  /** Resolves when what is being looked into has been said. */
  async explained(): Promise<void> {
    await this.explaining;
  }

  private async open(endpointsOf: () => string[]): Promise<Client> {
    await this.prepare();
    const endpoints = endpointsOf();
    if (endpoints.length === 0) {
      throw new CommandError(ExitCode.badConnection, 'etcdclient: no available endpoints');
    }
    // Imported when a command talks to a server: the client is most of the start-up time.
    const { DEFAULT_OPTIONS, createClient } = await import('../client/index.js');
    const options = this.connectionOptions(DEFAULT_OPTIONS);
    const unreachable = (): void => {
      this.explaining ??= this.explain(endpoints, options.tls);
    };
    const client = createClient({ ...options, endpoints, unreachable });
    this.clients.push(client);
    return client;
  }

  /** Says what is wrong with TLS, if that is why no endpoint can be reached. */
  private async explain(endpoints: readonly string[], tls: TlsOptions | undefined): Promise<void> {
    const { explainConnection } = await import('./explain-connection.js');
    for (const endpoint of endpoints) {
      const reason = await explainConnection(endpoint, tls);
      if (reason !== undefined) this.host.warn(`Warning: ${endpoint}: ${reason}`);
    }
  }

  private async prepare(): Promise<void> {
    if (this.prepared) return;
    this.prepared = true;
    for (const line of applyEnvironment(this.flags, this.host.env)) this.host.warn(line);
    if (this.flags.bool('debug')) for (const line of settings(this.flags)) this.host.warn(line);
    const { printerFor } = await import('./printers/index.js');
    printerFor(this.format());
  }

  private connectionOptions(defaults: Options): Options {
    const { flags } = this;
    const tls = tlsOptions(flags, (path) => this.host.readFile(path));
    const options: Options = {
      dialTimeoutMs: milliseconds(flags.duration('dial-timeout')),
      keepAliveTimeMs: milliseconds(flags.duration('keepalive-time')),
      keepAliveTimeoutMs: milliseconds(flags.duration('keepalive-timeout')),
      maxSendBytes: Number(flags.int('max-request-bytes')) || defaults.maxSendBytes,
      maxReceiveBytes: Number(flags.int('max-recv-bytes')) || defaults.maxReceiveBytes,
    };
    return tls === undefined ? options : { ...options, tls };
  }
}

type Options = Omit<ConnectionOptions, 'endpoints'>;

function milliseconds(nanoseconds: bigint): number {
  return Number(nanoseconds) / 1e6;
}

/** TLS as etcdctl decides on it: any of the files, or --insecure-transport=false. */
function tlsOptions(flags: Flags, readFile: (path: string) => Buffer): TlsOptions | undefined {
  const [cert, key, cacert] = ['cert', 'key', 'cacert'].map((name) => fileName(flags, name));
  const wanted = [cert, key, cacert].some((path) => path !== '');
  if (!wanted && flags.bool('insecure-transport')) return undefined;
  if ((cert === '') !== (key === '')) {
    throw badArgs(`KeyFile and CertFile must both be present[key: ${key}, cert: ${cert}]`);
  }
  const options: TlsOptions = { skipVerify: flags.bool('insecure-skip-tls-verify') };
  if (cert !== '') options.cert = readPem(cert!, readFile);
  if (key !== '') options.key = readPem(key!, readFile);
  const refusal = options.cert && options.key && keyPairRefusal(options.cert, options.key);
  if (refusal !== undefined) throw badArgs(refusal);
  if (cacert !== '') options.ca = readPem(cacert!, readFile);
  return options;
}

function fileName(flags: Flags, name: string): string {
  const path = flags.string(name);
  if (path === '' && flags.isGiven(name)) {
    throw badArgs(`empty string is passed to --${name} option`);
  }
  return path;
}

function readPem(path: string, readFile: (path: string) => Buffer): Buffer {
  try {
    return readFile(path);
  } catch (error) {
    throw new CommandError(ExitCode.badArgs, osErrorText('open', path, error), { cause: error });
  }
}
