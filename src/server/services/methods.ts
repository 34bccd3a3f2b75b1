/** Short ways to describe a method, so that a service reads as a table of what it serves. */
import { EtcdError, etcdError } from '../../api/index.js';
import type { Codec } from '../../codec/index.js';
import type { Member } from '../member.js';
import type { CallContext, StreamMethod, StreamReader, StreamWriter, UnaryMethod } from '../rpc.js';

export function unary<Req, Res>(
  path: string,
  request: Codec<Req>,
  response: Codec<Res>,
  handle: (request: Req, context: CallContext) => Res | Promise<Res>,
): UnaryMethod<Req, Res> {
  return { kind: 'unary', path, decode: request.decode, encode: response.encode, handle };
}

export function stream<Req, Res>(
  path: string,
  request: Codec<Req>,
  response: Codec<Res>,
  clientStreaming: boolean,
  open: (out: StreamWriter<Res>, context: CallContext) => StreamReader<Req>,
): StreamMethod<Req, Res> {
  const { decode } = request;
  return { kind: 'stream', path, clientStreaming, decode, encode: response.encode, open };
}

/** Refuses what a learner doesn't serve, and calls that require a leader when there is none. */
export function admit(member: Member, context: CallContext, learnerServes = false): void {
  if (member.isStopped) throw etcdError('stopped');
  if (member.isLearner && !learnerServes) throw etcdError('notSupportedForLearner');
  if (requiresLeader(context) && member.leader === 0n) throw etcdError('noLeader');
}

/** Metadata `hasleader: true`: the caller would rather be refused than wait on a cut-off member. */
export function requiresLeader(context: CallContext): boolean {
  return context.metadata('hasleader') === 'true';
}

/** The status that ends a stream after `error`: refusals as they are, anything else is a bug's. */
export function asRefusal(error: unknown): EtcdError | undefined {
  return error instanceof EtcdError ? error : undefined;
}
