/** A TCP port before another one, through which connections can be slowed, held and broken. */
import { type Server, type Socket, connect, createServer } from 'node:net';
import { once } from 'node:events';
import { Pipe } from './pipe.js';
import type { Road } from './roads.js';

export interface ProxyOptions {
  readonly port: number;
  readonly targetPort: number;
  /**
   * Who opens a connection, told from its first bytes; undefined: more bytes are needed. Left out when
   * all connections come from one party, which need not speak first.
   */
  readonly dialler?: (head: Buffer) => string | undefined;
  /** The roads of a connection that `dialler` has opened ('' without {@link ProxyOptions.dialler}). */
  readonly roads: (dialler: string) => { readonly there: Road; readonly back: Road };
}

/** Longest head that is looked at for the dialler. */
const MAX_HEAD_BYTES = 16 * 1024;

export class Proxy {
  readonly #options: ProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) =>
      this.#accept(socket),
    );
  }

  static async open(options: ProxyOptions): Promise<Proxy> {
    const proxy = new Proxy(options);
    proxy.#server.listen(options.port, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: Socket): void {
    this.#keep(socket);
    const { dialler } = this.#options;
    if (dialler === undefined) return this.#join(socket, '', undefined);
    let head = Buffer.alloc(0);
    const look = (bytes: Buffer) => {
      head = Buffer.concat([head, bytes]);
      const name = dialler(head);
      if (name === undefined && head.length < MAX_HEAD_BYTES) return;
      socket.off('data', look);
      socket.pause();
      if (name === undefined) socket.destroy();
      else this.#join(socket, name, head);
    };
    socket.on('data', look);
    socket.resume();
  }

  #join(socket: Socket, dialler: string, head: Buffer | undefined): void {
    const { there, back } = this.#options.roads(dialler);
    if (there.isReset || back.isReset) return void socket.resetAndDestroy();
    const target = connect({
      port: this.#options.targetPort,
      host: '127.0.0.1',
      allowHalfOpen: true,
    });
    this.#keep(target);
    const forward = new Pipe(socket, target, there);
    if (head !== undefined) forward.unshift(head);
    new Pipe(target, socket, back);
    const breakOff = () => {
      if (!there.isReset && !back.isReset) return;
      socket.resetAndDestroy();
      target.resetAndDestroy();
    };
    const forget = [there.onChange(breakOff), back.onChange(breakOff)];
    socket.on('close', () => forget.forEach((action) => action()));
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {}); // its close tells the other side
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
