/** The Cluster service. */
import type {
  Member,
  MemberAddRequest,
  MemberAddResponse,
  MemberIdRequest,
  MemberListRequest,
  MemberListResponse,
  MemberUpdateRequest,
  MembersResponse,
} from '../api/index.js';
import { codec, writeEach, writeMessage, writeOptional, writeStrings } from './codec.js';
import { readHeader, writeHeader } from './header.js';
import type { Reader, Writer } from './wire.js';

function writeMember(w: Writer, member: Member): void {
  w.bool(5, member.isLearner);
  writeStrings(w, 4, member.clientUrls);
  writeStrings(w, 3, member.peerUrls);
  w.string(2, member.name);
  w.integer(1, member.id);
}

function noMember(): Member {
  return { id: 0n, name: '', peerUrls: [], clientUrls: [], isLearner: false };
}

function readMember(r: Reader): Member {
  const member = noMember();
  while (r.next()) {
    switch (r.field) {
      case 1:
        member.id = r.uint64Bigint();
        break;
      case 2:
        member.name = r.string();
        break;
      case 3:
        member.peerUrls.push(r.string());
        break;
      case 4:
        member.clientUrls.push(r.string());
        break;
      case 5:
        member.isLearner = r.bool();
        break;
      default:
        r.skip();
    }
  }
  return member;
}

function writeMemberAddRequest(w: Writer, request: MemberAddRequest): void {
  w.bool(2, request.isLearner);
  writeStrings(w, 1, request.peerUrls);
}

function readMemberAddRequest(r: Reader): MemberAddRequest {
  const request: MemberAddRequest = { peerUrls: [], isLearner: false };
  while (r.next()) {
    switch (r.field) {
      case 1:
        request.peerUrls.push(r.string());
        break;
      case 2:
        request.isLearner = r.bool();
        break;
      default:
        r.skip();
    }
  }
  return request;
}

export const memberAddRequest = codec<MemberAddRequest>(
  writeMemberAddRequest,
  readMemberAddRequest,
);

function writeMemberAddResponse(w: Writer, response: MemberAddResponse): void {
  writeEach(w, 3, response.members, writeMember);
  writeMessage(w, 2, response.member, writeMember);
  writeOptional(w, 1, response.header, writeHeader);
}

function readMemberAddResponse(r: Reader): MemberAddResponse {
  const response: MemberAddResponse = { member: noMember(), members: [] };
  while (r.next()) {
    switch (r.field) {
      case 1:
        response.header = r.message(readHeader);
        break;
      case 2:
        response.member = r.message(readMember);
        break;
      case 3:
        response.members.push(r.message(readMember));
        break;
      default:
        r.skip();
    }
  }
  return response;
}

export const memberAddResponse = codec<MemberAddResponse>(
  writeMemberAddResponse,
  readMemberAddResponse,
);

function writeMemberId(w: Writer, request: MemberIdRequest): void {
  w.integer(1, request.id);
}

function readMemberId(r: Reader): MemberIdRequest {
  const request: MemberIdRequest = { id: 0n };
  while (r.next()) {
    if (r.field === 1) request.id = r.uint64Bigint();
    else r.skip();
  }
  return request;
}

export const memberRemoveRequest = codec<MemberIdRequest>(writeMemberId, readMemberId);
export const memberPromoteRequest = codec<MemberIdRequest>(writeMemberId, readMemberId);

function writeMemberUpdateRequest(w: Writer, request: MemberUpdateRequest): void {
  writeStrings(w, 2, request.peerUrls);
  w.integer(1, request.id);
}

function readMemberUpdateRequest(r: Reader): MemberUpdateRequest {
  const request: MemberUpdateRequest = { id: 0n, peerUrls: [] };
  while (r.next()) {
    switch (r.field) {
      case 1:
        request.id = r.uint64Bigint();
        break;
      case 2:
        request.peerUrls.push(r.string());
        break;
      default:
        r.skip();
    }
  }
  return request;
}

export const memberUpdateRequest = codec<MemberUpdateRequest>(
  writeMemberUpdateRequest,
  readMemberUpdateRequest,
);

function writeMemberListRequest(w: Writer, request: MemberListRequest): void {
  w.bool(1, request.linearizable);
}

function readMemberListRequest(r: Reader): MemberListRequest {
  const request: MemberListRequest = { linearizable: false };
  while (r.next()) {
    if (r.field === 1) request.linearizable = r.bool();
    else r.skip();
  }
  return request;
}

export const memberListRequest = codec<MemberListRequest>(
  writeMemberListRequest,
  readMemberListRequest,
);

function writeMembersResponse(w: Writer, response: MembersResponse): void {
  writeEach(w, 2, response.members, writeMember);
  writeOptional(w, 1, response.header, writeHeader);
}

function readMembersResponse(r: Reader): MembersResponse {
  const response: MembersResponse = { members: [] };
  while (r.next()) {
    switch (r.field) {
      case 1:
        response.header = r.message(readHeader);
        break;
      case 2:
        response.members.push(r.message(readMember));
        break;
      default:
        r.skip();
    }
  }
  return response;
}

export const memberListResponse = codec<MemberListResponse>(
  writeMembersResponse,
  readMembersResponse,
);
export const memberRemoveResponse = codec<MembersResponse>(
  writeMembersResponse,
  readMembersResponse,
);
export const memberUpdateResponse = memberRemoveResponse;
export const memberPromoteResponse = memberRemoveResponse;
