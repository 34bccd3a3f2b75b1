/** A server inside the test process: as a process would run it, without the time that one takes. */
import { join } from 'node:path';
import { DEFAULT_CONFIG, type Kvorum, type MemberConfig } from '../../../src/embed/index.js';
import { type ServeOptions, serve, serveClients } from '../../../src/embed/serve.js';
import { freePort } from './ports.js';
import { tempDir } from './temp-dir.js';

export interface InProcessOptions extends Partial<Omit<ServeOptions, 'config' | 'logger'>> {
  config?: Partial<MemberConfig>;
  /** Schemes of its URLs: http by default. */
  clientScheme?: 'http' | 'https';
  peerScheme?: 'http' | 'https';
  peerPort?: number;
}

export class InProcessServer {
  /** `message error` of every line. */
  readonly log: string[] = [];
  private constructor(
    readonly clientPort: number,
    readonly options: ServeOptions,
  ) {}

  store!: Kvorum;

  /** Starts it; waits for its client port unless it needs others for that. */
  static async start(wishes: InProcessOptions = {}): Promise<InProcessServer> {
    const server = await InProcessServer.launch(wishes);
    await server.serveClients();
    return server;
  }

  static async launch(wishes: InProcessOptions = {}): Promise<InProcessServer> {
    const { config, clientScheme = 'http', peerScheme = 'http', ...rest } = wishes;
    const clientPort = await freePort();
    const clientUrl = `${clientScheme}://127.0.0.1:${clientPort}`;
    const peerUrl = `${peerScheme}://127.0.0.1:${wishes.peerPort ?? (await freePort())}`;
    const name = config?.name ?? 'default';
    const server = new InProcessServer(clientPort, {
      dataDir: join(tempDir(), 'data'),
      listenClientUrls: [clientUrl],
      listenPeerUrls: [peerUrl],
      ...rest,
      config: {
        ...DEFAULT_CONFIG,
        clientUrls: [clientUrl],
        peerUrls: [peerUrl],
        initialCluster: [{ name, peerUrls: [peerUrl] }],
        ...config,
      },
      logger: (_level, message, fields) => void server.log.push(`${message} ${errorOf(fields)}`),
    });
    server.store = await serve(server.options);
    return server;
  }

  async serveClients(): Promise<void> {
    await this.store.member.ready;
    await serveClients(this.store, this.options);
  }

  /** Waits until a line of the log matches. */
  async logged(pattern: RegExp, timeoutMs = 10_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!this.log.some((line) => pattern.test(line))) {
      if (performance.now() > deadline)
        throw new Error(`no ${pattern} in:\n${this.log.join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async stop(): Promise<void> {
    await this.store.close();
  }
}

function errorOf(fields: Record<string, unknown> = {}): string {
  const { error } = fields;
  return typeof error === 'string' ? error : '';
}
