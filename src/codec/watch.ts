/** The Watch service, and a way to encode an event once for all its watchers. */
import type {
  Event,
  WatchCreateRequest,
  WatchRequest,
  WatchResponse,
  KeyValue,
} from '../api/index.js';
import { codec, encode, writeEach, writeMessage, writeOptional } from './codec.js';
import { readHeader, writeHeader } from './header.js';
import { readKeyValue, writeKeyValue } from './kv.js';
import type { Reader, Writer } from './wire.js';

function writeCreate(w: Writer, request: WatchCreateRequest): void {
  w.bool(8, request.fragment);
  w.integer(7, request.watchId);
  w.bool(6, request.prevKv);
  writeFilters(w, request.filters);
  w.bool(4, request.progressNotify);
  w.integer(3, request.startRevision);
  w.latin1(2, request.rangeEnd);
  w.latin1(1, request.key);
}

/** Packed, as in every proto3 message. */
function writeFilters(w: Writer, filters: readonly number[]): void {
  if (filters.length === 0) return;
  const mark = w.mark();
  for (let i = filters.length - 1; i >= 0; i--) w.element(filters[i]!);
  w.message(5, mark);
}

function readCreate(r: Reader): WatchCreateRequest {
  const request: WatchCreateRequest = {
    key: '',
    rangeEnd: '',
    startRevision: 0,
    progressNotify: false,
    filters: [],
    prevKv: false,
    watchId: 0n,
    fragment: false,
  };
  while (r.next()) readCreateField(r, request);
  return request;
}

function readCreateField(r: Reader, request: WatchCreateRequest): void {
  switch (r.field) {
    case 1:
      request.key = r.latin1();
      break;
    case 2:
      request.rangeEnd = r.latin1();
      break;
    case 3:
      request.startRevision = r.int64();
      break;
    case 4:
      request.progressNotify = r.bool();
      break;
    case 5:
      r.repeated(request.filters, (element) => element.int32());
      break;
    case 6:
      request.prevKv = r.bool();
      break;
    case 7:
      request.watchId = r.int64Bigint();
      break;
    case 8:
      request.fragment = r.bool();
      break;
    default:
      r.skip();
  }
}

function writeCancel(w: Writer, watchId: bigint): void {
  w.integer(1, watchId);
}

function readCancel(r: Reader): bigint {
  let watchId = 0n;
  while (r.next()) {
    if (r.field === 1) watchId = r.int64Bigint();
    else r.skip();
  }
  return watchId;
}

function writeWatchRequest(w: Writer, request: WatchRequest): void {
  switch (request.kind) {
    case 'create':
      return writeMessage(w, 1, request.request, writeCreate);
    case 'cancel':
      return writeMessage(w, 2, request.watchId, writeCancel);
    case 'progress':
      return w.message(3, w.mark());
    case 'none':
      return;
  }
}

function readProgress(r: Reader): WatchRequest {
  while (r.next()) r.skip();
  return { kind: 'progress' };
}

function readWatchRequest(r: Reader): WatchRequest {
  let request: WatchRequest = { kind: 'none' };
  while (r.next()) {
    switch (r.field) {
      case 1:
        request = { kind: 'create', request: r.message(readCreate) };
        break;
      case 2:
        request = { kind: 'cancel', watchId: r.message(readCancel) };
        break;
      case 3:
        request = r.message(readProgress);
        break;
      default:
        r.skip();
    }
  }
  return request;
}

export const watchRequest = codec<WatchRequest>(writeWatchRequest, readWatchRequest);

function writeEvent(w: Writer, event: Event): void {
  writeOptional(w, 3, event.prevKv, writeKeyValue);
  writeMessage(w, 2, event.kv, writeKeyValue);
  w.integer(1, event.type === 'delete' ? 1 : 0);
}

function readEvent(r: Reader): Event {
  let type: Event['type'] = 'put';
  let kv: KeyValue | undefined;
  let prevKv: KeyValue | undefined;
  while (r.next()) {
    switch (r.field) {
      case 1:
        type = r.int32() === 1 ? 'delete' : 'put';
        break;
      case 2:
        kv = r.message(readKeyValue);
        break;
      case 3:
        prevKv = r.message(readKeyValue);
        break;
      default:
        r.skip();
    }
  }
  kv ??= { key: '', createRevision: 0, modRevision: 0, version: 0, value: '', lease: 0n };
  return prevKv === undefined ? { type, kv } : { type, kv, prevKv };
}

type WatchHead = Omit<WatchResponse, 'events'>;

const EVENTS_FIELD = 11;

function writeHead(w: Writer, head: WatchHead): void {
  w.bool(7, head.fragment);
  w.string(6, head.cancelReason);
  w.integer(5, head.compactRevision);
  w.bool(4, head.canceled);
  w.bool(3, head.created);
  w.integer(2, head.watchId);
  writeOptional(w, 1, head.header, writeHeader);
}

function writeEvents(w: Writer, events: readonly Event[]): void {
  writeEach(w, EVENTS_FIELD, events, writeEvent);
}

function writeWatchResponse(w: Writer, response: WatchResponse): void {
  writeEvents(w, response.events);
  writeHead(w, response);
}

function readWatchResponse(r: Reader): WatchResponse {
  const response: WatchResponse = {
    watchId: 0n,
    created: false,
    canceled: false,
    compactRevision: 0,
    cancelReason: '',
    fragment: false,
    events: [],
  };
  while (r.next()) readWatchResponseField(r, response);
  return response;
}

function readWatchResponseField(r: Reader, response: WatchResponse): void {
  switch (r.field) {
    case 1:
      response.header = r.message(readHeader);
      break;
    case 2:
      response.watchId = r.int64Bigint();
      break;
    case 3:
      response.created = r.bool();
      break;
    case 4:
      response.canceled = r.bool();
      break;
    case 5:
      response.compactRevision = r.safeInt64();
      break;
    case 6:
      response.cancelReason = r.string();
      break;
    case 7:
      response.fragment = r.bool();
      break;
    case EVENTS_FIELD:
      response.events.push(r.message(readEvent));
      break;
    default:
      r.skip();
  }
}

export const watchResponse = codec<WatchResponse>(writeWatchResponse, readWatchResponse);

/**
 * The events as they stand in a WatchResponse. Such pieces may be concatenated, and go into as many
 * responses as there are watchers, by {@link watchResponseWithEvents}.
 */
export function encodeEvents(events: readonly Event[]): Uint8Array {
  return encode(events, writeEvents);
}

/**
 * A whole WatchResponse around events that are encoded already: the same bytes as the `watchResponse`
 * codec makes. `encodedEvents` is copied; several pieces follow one another in their order.
 */
export function watchResponseWithEvents(
  head: WatchHead,
  ...encodedEvents: readonly Uint8Array[]
): Uint8Array {
  return encode(head, (w) => {
    for (let i = encodedEvents.length - 1; i >= 0; i--) w.raw(encodedEvents[i]!);
    writeHead(w, head);
  });
}
