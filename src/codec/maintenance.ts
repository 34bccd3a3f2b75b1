/** The Maintenance service. */
import type {
  AlarmMember,
  AlarmRequest,
  AlarmResponse,
  HashKvRequest,
  HashKvResponse,
  HashResponse,
  MoveLeaderRequest,
  SnapshotResponse,
  StatusResponse,
} from '../api/index.js';
import { codec, emptyMessage, writeEach, writeOptional, writeStrings } from './codec.js';
import { headerResponse, readHeader, writeHeader } from './header.js';
import type { Reader, Writer } from './wire.js';

export function writeAlarmRequest(w: Writer, request: AlarmRequest): void {
  w.integer(3, request.alarm);
  w.integer(2, request.memberId);
  w.integer(1, request.action);
}

export function readAlarmRequest(r: Reader): AlarmRequest {
  const request: AlarmRequest = { action: 0, memberId: 0n, alarm: 0 };
  while (r.next()) {
    switch (r.field) {
      case 1:
        request.action = r.int32();
        break;
      case 2:
        request.memberId = r.uint64Bigint();
        break;
      case 3:
        request.alarm = r.int32();
        break;
      default:
        r.skip();
    }
  }
  return request;
}

export const alarmRequest = codec<AlarmRequest>(writeAlarmRequest, readAlarmRequest);

function writeAlarmMember(w: Writer, alarm: AlarmMember): void {
  w.integer(2, alarm.alarm);
  w.integer(1, alarm.memberId);
}

function readAlarmMember(r: Reader): AlarmMember {
  const alarm: AlarmMember = { memberId: 0n, alarm: 0 };
  while (r.next()) {
    switch (r.field) {
      case 1:
        alarm.memberId = r.uint64Bigint();
        break;
      case 2:
        alarm.alarm = r.int32();
        break;
      default:
        r.skip();
    }
  }
  return alarm;
}

/** Also the key of a record in bucket `alarm`. */
export const alarmMember = codec<AlarmMember>(writeAlarmMember, readAlarmMember);

function writeAlarmResponse(w: Writer, response: AlarmResponse): void {
  writeEach(w, 2, response.alarms, writeAlarmMember);
  writeOptional(w, 1, response.header, writeHeader);
}

function readAlarmResponse(r: Reader): AlarmResponse {
  const response: AlarmResponse = { alarms: [] };
  while (r.next()) {
    switch (r.field) {
      case 1:
        response.header = r.message(readHeader);
        break;
      case 2:
        response.alarms.push(r.message(readAlarmMember));
        break;
      default:
        r.skip();
    }
  }
  return response;
}

export const alarmResponse = codec<AlarmResponse>(writeAlarmResponse, readAlarmResponse);

export const statusRequest = emptyMessage;

type DowngradeInfo = StatusResponse['downgradeInfo'];

function writeDowngradeInfo(w: Writer, info: DowngradeInfo): void {
  w.string(2, info.targetVersion);
  w.bool(1, info.enabled);
}

function readDowngradeInfo(r: Reader): DowngradeInfo {
  const info: DowngradeInfo = { enabled: false, targetVersion: '' };
  while (r.next()) {
    switch (r.field) {
      case 1:
        info.enabled = r.bool();
        break;
      case 2:
        info.targetVersion = r.string();
        break;
      default:
        r.skip();
    }
  }
  return info;
}

function writeStatusResponse(w: Writer, response: StatusResponse): void {
  writeOptional(w, 13, response.downgradeInfo, writeDowngradeInfo);
  w.integer(12, response.dbSizeQuota);
  w.string(11, response.storageVersion);
  w.bool(10, response.isLearner);
  w.integer(9, response.dbSizeInUse);
  writeStrings(w, 8, response.errors);
  w.integer(7, response.raftAppliedIndex);
  w.integer(6, response.raftTerm);
  w.integer(5, response.raftIndex);
  w.integer(4, response.leader);
  w.integer(3, response.dbSize);
  w.string(2, response.version);
  writeOptional(w, 1, response.header, writeHeader);
}

function readStatusResponse(r: Reader): StatusResponse {
  const response: StatusResponse = {
    version: '',
    dbSize: 0,
    leader: 0n,
    raftIndex: 0,
    raftTerm: 0,
    raftAppliedIndex: 0,
    errors: [],
    dbSizeInUse: 0,
    isLearner: false,
    storageVersion: '',
    dbSizeQuota: 0,
    downgradeInfo: { enabled: false, targetVersion: '' },
  };
  while (r.next()) readStatusField(r, response);
  return response;
}

function readStatusField(r: Reader, response: StatusResponse): void {
  switch (r.field) {
    case 1:
      response.header = r.message(readHeader);
      break;
    case 2:
      response.version = r.string();
      break;
    case 3:
      response.dbSize = r.safeInt64();
      break;
    case 4:
      response.leader = r.uint64Bigint();
      break;
    case 5:
      response.raftIndex = r.safeUint64();
      break;
    case 6:
      response.raftTerm = r.safeUint64();
      break;
    case 7:
      response.raftAppliedIndex = r.safeUint64();
      break;
    case 8:
      response.errors.push(r.string());
      break;
    case 9:
      response.dbSizeInUse = r.safeInt64();
      break;
    case 10:
      response.isLearner = r.bool();
      break;
    case 11:
      response.storageVersion = r.string();
      break;
    case 12:
      response.dbSizeQuota = r.safeInt64();
      break;
    case 13:
      response.downgradeInfo = r.message(readDowngradeInfo);
      break;
    default:
      r.skip();
  }
}

export const statusResponse = codec<StatusResponse>(writeStatusResponse, readStatusResponse);

export const defragmentRequest = emptyMessage;
export const defragmentResponse = headerResponse;
export const hashRequest = emptyMessage;

function writeHashResponse(w: Writer, response: HashResponse): void {
  w.integer(2, response.hash);
  writeOptional(w, 1, response.header, writeHeader);
}

function readHashResponse(r: Reader): HashResponse {
  const response: HashResponse = { hash: 0 };
  while (r.next()) {
    switch (r.field) {
      case 1:
        response.header = r.message(readHeader);
        break;
      case 2:
        response.hash = r.uint32();
        break;
      default:
        r.skip();
    }
  }
  return response;
}

export const hashResponse = codec<HashResponse>(writeHashResponse, readHashResponse);

function writeHashKvRequest(w: Writer, request: HashKvRequest): void {
  w.integer(1, request.revision);
}

function readHashKvRequest(r: Reader): HashKvRequest {
  const request: HashKvRequest = { revision: 0 };
  while (r.next()) {
    if (r.field === 1) request.revision = r.int64();
    else r.skip();
  }
  return request;
}

export const hashKvRequest = codec<HashKvRequest>(writeHashKvRequest, readHashKvRequest);

function writeHashKvResponse(w: Writer, response: HashKvResponse): void {
  w.integer(4, response.hashRevision);
  w.integer(3, response.compactRevision);
  w.integer(2, response.hash);
  writeOptional(w, 1, response.header, writeHeader);
}

function readHashKvResponse(r: Reader): HashKvResponse {
  const response: HashKvResponse = { hash: 0, compactRevision: 0, hashRevision: 0 };
  while (r.next()) {
    switch (r.field) {
      case 1:
        response.header = r.message(readHeader);
        break;
      case 2:
        response.hash = r.uint32();
        break;
      case 3:
        response.compactRevision = r.safeInt64();
        break;
      case 4:
        response.hashRevision = r.safeInt64();
        break;
      default:
        r.skip();
    }
  }
  return response;
}

export const hashKvResponse = codec<HashKvResponse>(writeHashKvResponse, readHashKvResponse);

export const snapshotRequest = emptyMessage;

function writeSnapshotResponse(w: Writer, response: SnapshotResponse): void {
  w.string(4, response.version);
  w.bytes(3, response.blob);
  w.integer(2, response.remainingBytes);
  writeOptional(w, 1, response.header, writeHeader);
}

function readSnapshotResponse(r: Reader): SnapshotResponse {
  const response: SnapshotResponse = { remainingBytes: 0, blob: new Uint8Array(0), version: '' };
  while (r.next()) {
    switch (r.field) {
      case 1:
        response.header = r.message(readHeader);
        break;
      case 2:
        response.remainingBytes = r.safeUint64();
        break;
      case 3:
        response.blob = r.view();
        break;
      case 4:
        response.version = r.string();
        break;
      default:
        r.skip();
    }
  }
  return response;
}

export const snapshotResponse = codec<SnapshotResponse>(
  writeSnapshotResponse,
  readSnapshotResponse,
);

function writeMoveLeaderRequest(w: Writer, request: MoveLeaderRequest): void {
  w.integer(1, request.targetId);
}

function readMoveLeaderRequest(r: Reader): MoveLeaderRequest {
  const request: MoveLeaderRequest = { targetId: 0n };
  while (r.next()) {
    if (r.field === 1) request.targetId = r.uint64Bigint();
    else r.skip();
  }
  return request;
}

export const moveLeaderRequest = codec<MoveLeaderRequest>(
  writeMoveLeaderRequest,
  readMoveLeaderRequest,
);
export const moveLeaderResponse = headerResponse;
