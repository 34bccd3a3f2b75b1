/** Membership changes as the log carries them: raftpb.ConfChange with the member as JSON context. */
import { type Member, assert } from '../api/index.js';
import { confChange as confChangeCodec, memberContextJson } from '../codec/index.js';
import { type ConfChange, ConfChangeType } from '../raft/index.js';
import type { MembershipChange } from './membership.js';

const NO_CONTEXT = new Uint8Array(0);

/** The change as raft sees it. `id` names the waiting caller. */
export function toConfChange(id: bigint, change: MembershipChange): ConfChange {
  switch (change.kind) {
    case 'add': {
      const { member } = change;
      const type = member.isLearner ? ConfChangeType.addLearnerNode : ConfChangeType.addNode;
      return {
        id,
        type,
        nodeId: member.id,
        context: memberContextJson.encode({ ...member, isPromote: false }),
      };
    }
    case 'promote': {
      const context = memberContextJson.encode({ ...bareMember(change.id), isPromote: true });
      return { id, type: ConfChangeType.addNode, nodeId: change.id, context };
    }
    case 'update': {
      const context = memberContextJson.encode({
        ...bareMember(change.id),
        peerUrls: change.peerUrls,
        isPromote: false,
      });
      return { id, type: ConfChangeType.updateNode, nodeId: change.id, context };
    }
    case 'remove':
      return { id, type: ConfChangeType.removeNode, nodeId: change.id, context: NO_CONTEXT };
  }
}

/** The reverse. Throws when the context is not what etcd writes: applying a guess would diverge. */
export function toMembershipChange(change: ConfChange): MembershipChange {
  if (change.type === ConfChangeType.removeNode) return { kind: 'remove', id: change.nodeId };
  const { isPromote, ...member } = memberContextJson.decode(change.context);
  assert(member.id === change.nodeId, () => `conf change of ${change.nodeId} names ${member.id}`);
  if (change.type === ConfChangeType.updateNode) {
    return { kind: 'update', id: member.id, peerUrls: member.peerUrls };
  }
  if (isPromote) return { kind: 'promote', id: member.id };
  const isLearner = change.type === ConfChangeType.addLearnerNode;
  return { kind: 'add', member: { ...member, isLearner } };
}

/** An entry's data to the change it holds. */
export function decodeConfChange(data: Uint8Array): ConfChange {
  return confChangeCodec.decode(data);
}

export function encodeConfChange(change: ConfChange): Uint8Array {
  return confChangeCodec.encode(change);
}

function bareMember(id: bigint): Member {
  return { id, name: '', peerUrls: [], clientUrls: [], isLearner: false };
}
