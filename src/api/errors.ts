/**
 * etcd's error table. Clients match on the exact text and code, so both are part of the contract.
 * A status carries code and message only.
 */

/** gRPC status codes. */
export const Code = {
  ok: 0,
  canceled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;

export type Code = (typeof Code)[keyof typeof Code];

/**
 * Name -> code and text, of etcd 3.6. Two entries travel as Unknown although etcd declares another
 * code (memberNotEnoughStarted, requestTooManyRequests): its server maps them through a twin that
 * has lost it, and clients know them by text.
 */
const table = {
  emptyKey: [Code.invalidArgument, 'etcdserver: key is not provided'],
  keyNotFound: [Code.invalidArgument, 'etcdserver: key not found'],
  valueProvided: [Code.invalidArgument, 'etcdserver: value is provided'],
  leaseProvided: [Code.invalidArgument, 'etcdserver: lease is provided'],
  tooManyOps: [Code.invalidArgument, 'etcdserver: too many operations in txn request'],
  duplicateKey: [Code.invalidArgument, 'etcdserver: duplicate key given in txn request'],
  invalidClientAPIVersion: [Code.invalidArgument, 'etcdserver: invalid client api version'],
  invalidSortOption: [Code.invalidArgument, 'etcdserver: invalid sort option'],
  compacted: [Code.outOfRange, 'etcdserver: mvcc: required revision has been compacted'],
  futureRev: [Code.outOfRange, 'etcdserver: mvcc: required revision is a future revision'],
  noSpace: [Code.resourceExhausted, 'etcdserver: mvcc: database space exceeded'],
  leaseNotFound: [Code.notFound, 'etcdserver: requested lease not found'],
  leaseExist: [Code.failedPrecondition, 'etcdserver: lease already exists'],
  leaseTTLTooLarge: [Code.outOfRange, 'etcdserver: too large lease TTL'],
  watchCanceled: [Code.canceled, 'etcdserver: watch canceled'],
  memberExist: [Code.failedPrecondition, 'etcdserver: member ID already exist'],
  peerURLExist: [Code.failedPrecondition, 'etcdserver: Peer URLs already exists'],
  memberNotEnoughStarted: [
    Code.unknown,
    'etcdserver: re-configuration failed due to not enough started members',
  ],
  memberBadURLs: [Code.invalidArgument, 'etcdserver: given member URLs are invalid'],
  memberNotFound: [Code.notFound, 'etcdserver: member not found'],
  memberNotLearner: [Code.failedPrecondition, 'etcdserver: can only promote a learner member'],
  learnerNotReady: [
    Code.failedPrecondition,
    'etcdserver: can only promote a learner member which is in sync with leader',
  ],
  tooManyLearners: [Code.failedPrecondition, 'etcdserver: too many learner members in cluster'],
  clusterIDMismatch: [Code.failedPrecondition, 'etcdserver: cluster ID mismatch'],
  requestTooLarge: [Code.invalidArgument, 'etcdserver: request is too large'],
  requestTooManyRequests: [Code.unknown, 'etcdserver: too many requests'],
  rootUserNotExist: [Code.failedPrecondition, 'etcdserver: root user does not exist'],
  rootRoleNotExist: [Code.failedPrecondition, 'etcdserver: root user does not have root role'],
  userAlreadyExist: [Code.failedPrecondition, 'etcdserver: user name already exists'],
  userEmpty: [Code.invalidArgument, 'etcdserver: user name is empty'],
  userNotFound: [Code.failedPrecondition, 'etcdserver: user name not found'],
  roleAlreadyExist: [Code.failedPrecondition, 'etcdserver: role name already exists'],
  roleNotFound: [Code.failedPrecondition, 'etcdserver: role name not found'],
  roleEmpty: [Code.invalidArgument, 'etcdserver: role name is empty'],
  authFailed: [
    Code.invalidArgument,
    'etcdserver: authentication failed, invalid user ID or password',
  ],
  permissionNotGiven: [Code.invalidArgument, 'etcdserver: permission not given'],
  permissionDenied: [Code.permissionDenied, 'etcdserver: permission denied'],
  roleNotGranted: [Code.failedPrecondition, 'etcdserver: role is not granted to the user'],
  permissionNotGranted: [
    Code.failedPrecondition,
    'etcdserver: permission is not granted to the role',
  ],
  authNotEnabled: [Code.failedPrecondition, 'etcdserver: authentication is not enabled'],
  invalidAuthToken: [Code.unauthenticated, 'etcdserver: invalid auth token'],
  invalidAuthMgmt: [Code.invalidArgument, 'etcdserver: invalid auth management'],
  authOldRevision: [Code.invalidArgument, 'etcdserver: revision of auth store is old'],
  noLeader: [Code.unavailable, 'etcdserver: no leader'],
  notLeader: [Code.failedPrecondition, 'etcdserver: not leader'],
  leaderChanged: [Code.unavailable, 'etcdserver: leader changed'],
  notCapable: [Code.failedPrecondition, 'etcdserver: not capable'],
  stopped: [Code.unavailable, 'etcdserver: server stopped'],
  timeout: [Code.unavailable, 'etcdserver: request timed out'],
  timeoutDueToLeaderFail: [
    Code.unavailable,
    'etcdserver: request timed out, possibly due to previous leader failure',
  ],
  timeoutDueToConnectionLost: [
    Code.unavailable,
    'etcdserver: request timed out, possibly due to connection lost',
  ],
  timeoutWaitAppliedIndex: [
    Code.unavailable,
    'etcdserver: request timed out, waiting for the applied index took too long',
  ],
  unhealthy: [Code.unavailable, 'etcdserver: unhealthy cluster'],
  corrupt: [Code.dataLoss, 'etcdserver: corrupt cluster'],
  notSupportedForLearner: [Code.failedPrecondition, 'etcdserver: rpc not supported for learner'],
  badLeaderTransferee: [Code.failedPrecondition, 'etcdserver: bad leader transferee'],
  wrongDowngradeVersionFormat: [
    Code.invalidArgument,
    'etcdserver: wrong downgrade target version format',
  ],
  invalidDowngradeTargetVersion: [
    Code.invalidArgument,
    'etcdserver: invalid downgrade target version',
  ],
  clusterVersionUnavailable: [
    Code.failedPrecondition,
    'etcdserver: cluster version not found during downgrade',
  ],
  downgradeInProcess: [
    Code.failedPrecondition,
    'etcdserver: cluster has a downgrade job in progress',
  ],
  noInflightDowngrade: [Code.failedPrecondition, 'etcdserver: no inflight downgrade job'],
  canceled: [Code.canceled, 'etcdserver: request canceled'],
  deadlineExceeded: [Code.deadlineExceeded, 'etcdserver: context deadline exceeded'],
  // Statuses that etcd sends without the prefix, or without a mapping of its own.
  contextDeadlineExceeded: [Code.deadlineExceeded, 'context deadline exceeded'],
  contextCanceled: [Code.canceled, 'context canceled'],
  proposalDropped: [Code.unknown, 'raft proposal dropped'],
  notPrimaryLessor: [Code.unknown, 'not a primary lessor'],
  timeoutLeaderTransfer: [
    Code.unknown,
    'etcdserver: request timed out, leader transfer took too long',
  ],
} as const satisfies Record<string, readonly [Code, string]>;

export type EtcdErrorName = keyof typeof table;

/**
 * A refusal that reaches the client as a status with etcd's own code and text. `name` is stable and
 * is what code compares; never the message.
 */
export class EtcdError extends Error {
  readonly code: Code;
  override readonly name: EtcdErrorName | 'status';

  constructor(name: EtcdErrorName | 'status', code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
    this.code = code;
  }
}

/** The error called `name` in the table. */
export function etcdError(name: EtcdErrorName, options?: ErrorOptions): EtcdError {
  const [code, message] = table[name];
  return new EtcdError(name, code, message, options);
}

/** A status that the table does not have: a transport's own refusal, or one read off the wire. */
export function statusError(code: Code, message: string, options?: ErrorOptions): EtcdError {
  return errorFromStatus(code, message, options);
}

const namesByMessage = new Map<string, EtcdErrorName>(
  (Object.keys(table) as EtcdErrorName[]).map((name) => [table[name][1], name]),
);

function errorFromStatus(code: Code, message: string, options?: ErrorOptions): EtcdError {
  return new EtcdError(namesByMessage.get(message) ?? 'status', code, message, options);
}

/** Is `error` the table's error called `name`? */
export function isEtcdError(error: unknown, name?: EtcdErrorName): error is EtcdError {
  return error instanceof EtcdError && (name === undefined || error.name === name);
}
