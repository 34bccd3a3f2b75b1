/** The Cluster service. */
import type {
  MemberAddRequest,
  MemberAddResponse,
  MemberIdRequest,
  MemberListRequest,
  MemberListResponse,
  MemberUpdateRequest,
  MembersResponse,
} from '../api/index.js';
import type { CallOptions, Connection } from './connection.js';
import { methods } from './method.js';

/** Every call throws EtcdError. */
export interface ClusterClient {
  memberList(request: MemberListRequest, options?: CallOptions): Promise<MemberListResponse>;
  memberAdd(request: MemberAddRequest, options?: CallOptions): Promise<MemberAddResponse>;
  memberRemove(request: MemberIdRequest, options?: CallOptions): Promise<MembersResponse>;
  memberUpdate(request: MemberUpdateRequest, options?: CallOptions): Promise<MembersResponse>;
  memberPromote(request: MemberIdRequest, options?: CallOptions): Promise<MembersResponse>;
}

export function createClusterClient(connection: Connection): ClusterClient {
  return {
    memberList: (request, options) => connection.unary(methods.memberList, request, options),
    memberAdd: (request, options) => connection.unary(methods.memberAdd, request, options),
    memberRemove: (request, options) => connection.unary(methods.memberRemove, request, options),
    memberUpdate: (request, options) => connection.unary(methods.memberUpdate, request, options),
    memberPromote: (request, options) => connection.unary(methods.memberPromote, request, options),
  };
}
