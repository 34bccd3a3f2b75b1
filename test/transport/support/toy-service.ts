/** A service of raw bytes, and a grpc-js client of it, for the transport's tests. */
import {
  type ChannelOptions,
  Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
} from '@grpc/grpc-js';
import { Code, etcdError } from '../../../src/api/index.js';
import type { LogLevel, Logger } from '../../../src/server/environment.js';
import type {
  CallContext,
  HttpHandler,
  Listener,
  Method,
  StreamReader,
  StreamWriter,
} from '../../../src/server/rpc.js';
import {
  type ClientPortOptions,
  listenClientPort,
  notFoundReply,
} from '../../../src/transport/index.js';

export const MAX_REQUEST_BYTES = 1024 * 1024;

/** Both serve the same; the suites run over each. */
export const TRANSPORTS = ['http2', 'grpc-js'] as const;

/** What the toy's stream handlers were told, and the writer they were given. */
export interface ToyStream {
  out: StreamWriter<string>;
  context: CallContext;
  events: string[];
}

export interface Toy {
  listener: Listener;
  logs: { level: LogLevel; message: string; fields: Record<string, unknown> }[];
  streams: ToyStream[];
  contexts: CallContext[];
  /** Resolves the next message of the 'Slow' stream method. */
  releases: (() => void)[];
  finishSlow: ((text: string) => void)[];
}

const text = {
  decode: (bytes: Uint8Array): string => {
    const decoded = Buffer.from(bytes).toString('latin1');
    if (decoded === 'garbage') throw new Error('not a message');
    return decoded;
  },
  encode: (value: string): Uint8Array => new Uint8Array(Buffer.from(value, 'latin1')),
};

function unaryMethods(toy: Toy): Method[] {
  const unary = (
    name: string,
    handle: (request: string, context: CallContext) => string | Promise<string>,
  ): Method => ({
    kind: 'unary',
    path: `/toy.Toy/${name}`,
    ...text,
    handle: (request: string, context: CallContext) => {
      toy.contexts.push(context);
      return handle(request, context);
    },
  });
  return [
    unary('Echo', (request) => request),
    unary('EchoLater', async (request) => request),
    unary('Meta', (name, context) => context.metadata(name) ?? '(none)'),
    unary('Refuse', () => {
      throw etcdError('compacted');
    }),
    unary('RefuseLater', async () => {
      throw etcdError('leaseNotFound');
    }),
    unary('Break', () => {
      throw new Error('secret detail');
    }),
    unary('Slow', () => new Promise<string>((resolve) => toy.finishSlow.push(resolve))),
  ];
}

function streamMethods(toy: Toy): Method[] {
  const stream = (
    name: string,
    message: (stream: ToyStream, request: string) => void | Promise<void>,
  ): Method => ({
    kind: 'stream',
    path: `/toy.Toy/${name}`,
    clientStreaming: true,
    ...text,
    open: (out: StreamWriter<string>, context: CallContext): StreamReader<string> => {
      const opened: ToyStream = { out, context, events: [] };
      toy.streams.push(opened);
      return {
        message: (request) => {
          opened.events.push(request.slice(0, 20));
          return message(opened, request);
        },
        halfClose: () => void opened.events.push('(half-closed)'),
        cancel: () => void opened.events.push('(cancelled)'),
      };
    },
  });
  return [
    stream('EchoStream', ({ out }, request) => {
      if (request === 'end') out.end();
      else if (request === 'refuse') out.end(etcdError('noLeader'));
      else if (request === 'break') throw new Error('secret detail');
      else out.write('re: ' + request);
    }),
    stream('HoldBack', () => new Promise<void>((resolve) => toy.releases.push(resolve))),
    {
      ...stream('RefusedStream', () => {}),
      open: () => {
        throw etcdError('notCapable');
      },
    } as Method,
  ];
}

const answerHttp: HttpHandler = ({ method, path, query }) => {
  if (path === '/hello') return { status: 200, body: `${method} ${query.get('q') ?? ''}` };
  if (path === '/fail') throw new Error('secret detail');
  return notFoundReply();
};

/** What the toy will note, of nobody yet. */
export function newToy(): Toy {
  const notes = { logs: [], streams: [], contexts: [], releases: [], finishSlow: [] };
  return notes as unknown as Toy;
}

export function toyMethods(toy: Toy): Method[] {
  return [...unaryMethods(toy), ...streamMethods(toy)];
}

/** Starts the toy on an ephemeral port of the loopback interface, or on `url`. */
export async function startToy(
  url = 'http://127.0.0.1:0',
  options: Partial<ClientPortOptions> = {},
): Promise<Toy> {
  const toy = newToy();
  const logger: Logger = (level, message, fields = {}) =>
    void toy.logs.push({ level, message, fields });
  toy.listener = await listenClientPort({
    url,
    methods: toyMethods(toy),
    http: answerHttp,
    maxRequestBytes: MAX_REQUEST_BYTES,
    logger,
    ...options,
  });
  return toy;
}

const identity = (bytes: Buffer): Buffer => bytes;

export interface Outcome {
  code: number;
  message: string;
  value?: string;
}

/** A client of the toy; `close` it. */
export class ToyClient extends Client {
  constructor(address: string, options: ChannelOptions = {}) {
    super(address, credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
      'grpc.use_local_subchannel_pool': 1,
      ...options,
    });
  }

  call(
    path: string,
    request: string,
    options: { metadata?: Record<string, string>; deadlineMs?: number } = {},
  ): Promise<Outcome> {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(options.metadata ?? {})) metadata.set(name, value);
    const callOptions =
      options.deadlineMs === undefined ? {} : { deadline: Date.now() + options.deadlineMs };
    return new Promise((resolve) => {
      this.makeUnaryRequest(
        path,
        identity,
        identity,
        Buffer.from(request, 'latin1'),
        metadata,
        callOptions,
        (error, value) => {
          if (error) resolve({ code: error.code, message: error.details });
          else resolve({ code: Code.ok, message: '', value: value!.toString('latin1') });
        },
      );
    });
  }

  stream(path: string): ClientDuplexStream<Buffer, Buffer> {
    return this.makeBidiStreamRequest(path, identity, identity);
  }
}
