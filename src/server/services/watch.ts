/**
 * etcdserverpb.Watch: one ordered answer stream for many watches (semantics.md 4). The watch feed decides
 * what each watch gets and when; here it becomes answers, with each batch of events encoded once.
 */
import {
  type EtcdError,
  type WatchRequest,
  type WatchResponse,
  etcdError,
} from '../../api/index.js';
import * as codec from '../../codec/index.js';
import type { EventBatch, WatchDelivery, WatchStream } from '../../mvcc/index.js';
import type { Timer } from '../environment.js';
import type { Member } from '../member.js';
import type { CallContext, Method, StreamReader, StreamWriter } from '../rpc.js';
import { admit, stream } from './methods.js';

/** Where a stream's answers go. `batch` holds the events of an answer that has some. */
export interface WatchOutput {
  /** False when the reader is not keeping up: nothing more comes until it drains. */
  respond(head: WatchResponse, batch?: EventBatch): boolean;
  onDrain(action: () => void): void;
  end(error?: EtcdError): void;
}

export class WatchService {
  readonly #member: Member;
  readonly #streams = new Map<WatchStream, (error: EtcdError) => void>();
  #timer: Timer | undefined;

  constructor(member: Member) {
    this.#member = member;
    member.onStop(() => this.#endAll());
  }

  /** Opens a stream. The client's half-close does not end it, as in etcd. */
  open(out: WatchOutput, context: CallContext): StreamReader<WatchRequest> {
    admit(this.#member, context);
    let room: Promise<void> | undefined;
    let roomAgain = () => {};
    const deliver = (delivery: WatchDelivery) => {
      const batch = delivery.kind === 'events' ? delivery.batch : undefined;
      if (out.respond(this.#headOf(delivery), batch)) return true;
      room ??= new Promise<void>((resolve) => (roomAgain = resolve));
      return false;
    };
    const watches = this.#member.store.watch.openStream({ deliver });
    out.onDrain(() => {
      room = undefined;
      roomAgain();
      watches.resume();
    });
    const close = () => {
      release();
      this.#forget(watches);
    };
    const end = (error: EtcdError) => {
      close();
      out.end(error);
    };
    const release = this.#member.leaderWatch.guard(context, end);
    this.#streams.set(watches, end);
    this.#tickLater();
    return {
      // A client that does not read its answers is not read either.
      message: (request) => {
        handle(watches, request);
        return room;
      },
      halfClose: () => {},
      cancel: close,
    };
  }

  #forget(watches: WatchStream): void {
    this.#streams.delete(watches);
    watches.close();
    if (this.#streams.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #endAll(): void {
    for (const end of this.#streams.values()) end(etcdError('stopped'));
  }

  #headOf(delivery: WatchDelivery): WatchResponse {
    const { watchId, kind, revision } = delivery;
    return {
      header: this.#member.header(revision),
      watchId,
      created: kind === 'created' || kind === 'refused',
      canceled: kind === 'canceled' || kind === 'refused',
      compactRevision: kind === 'canceled' ? delivery.compactRevision : 0,
      cancelReason: kind === 'refused' ? delivery.cancelReason : '',
      fragment: kind === 'events' && delivery.fragment,
      events: [],
    };
  }

  /** Quiet watches that asked for it hear how far they are, every interval with some jitter. */
  #tickLater(): void {
    if (this.#timer !== undefined) return;
    const { clock, random, config } = this.#member;
    const jitter = 1 + random.uint32() / 2 ** 32 / 10;
    this.#timer = clock.after(config.watchProgressNotifyMs * jitter, () => {
      this.#timer = undefined;
      for (const watches of this.#streams.keys()) watches.progressTick();
      this.#tickLater();
    });
  }
}

function handle(watches: WatchStream, request: WatchRequest): void {
  switch (request.kind) {
    case 'create':
      return watches.create(request.request);
    case 'cancel':
      return watches.cancel(request.watchId);
    case 'progress':
      return watches.requestProgress();
    case 'none': // an empty request is ignored
  }
}

export function watchMethods(service: WatchService): Method[] {
  return [
    stream(
      '/etcdserverpb.Watch/Watch',
      codec.watchRequest,
      codec.watchResponse,
      true,
      (out, context) => service.open(encodedOutput(out), context),
    ),
  ];
}

/** Answers as bytes: a batch that went to another watch before is not encoded again. */
function encodedOutput(out: StreamWriter<WatchResponse>): WatchOutput {
  return {
    respond: (head, batch) => {
      if (batch === undefined) return out.write(head);
      batch.encoded ??= codec.encodeEvents(batch.events);
      return out.writeEncoded(codec.watchResponseWithEvents(head, batch.encoded));
    },
    onDrain: (action) => out.onDrain(action),
    end: (error) => out.end(error),
  };
}
