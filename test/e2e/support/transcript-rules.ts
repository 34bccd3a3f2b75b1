/** What of a transcript differs from run to run, and what stands in its place. */

export interface Rule {
  reason: string;
  from: RegExp;
  to: string;
}

/** Applied in order to both streams, after saved ids have been replaced by their names. */
export const rules: readonly Rule[] = [
  {
    reason: "the client's log lines are for people",
    from: /^\{"level":"(?:warn|fatal|info)".*\n/gm,
    to: '',
  },
  {
    reason: 'what etcdctl warns of in a log line, kvorumctl says in plain text',
    from: /^Warning: unrecognized environment variable .*\n/gm,
    to: '',
  },
  { reason: 'a third line of our own', from: /^kvorumctl version: .*\n/gm, to: '' },
  {
    reason: 'the name of the program',
    from: /\b(?:etcdctl|kvorumctl)(?="\n| --help')/g,
    to: 'CTL',
  },
  { reason: "the server's address", from: /127\.0\.0\.1:(?!1\b)\d+/g, to: 'ADDRESS' },
  {
    reason: 'ids of other lengths make answers of other lengths',
    from: /(?<=received message larger than max \()\d+/g,
    to: 'LENGTH',
  },
  {
    reason: 'how long it took',
    from: /\b\d+(?:\.\d+)?(?:ms|\u00c2\u00b5s|s)(?=\n|"| +\||\. \()/g,
    to: 'TIME',
  },
  {
    reason: 'elections since the start',
    from: /(?<="raft_term":|"raftTerm":|"RaftTerm" : )\d+/g,
    to: 'TERM',
  },
  {
    reason: 'seconds left',
    from: /(?<=remaining\(|"ttl":|"TTL" : )(?:5\d\d|600)(?=\D)/g,
    to: 'REMAINING',
  },
  {
    reason: 'indexes and sizes that belong to the storage engine',
    from: /(?<="(?:raftIndex|raftAppliedIndex|dbSize|dbSizeInUse|dbSizeQuota)":|"(?:RaftIndex|RaftAppliedIndex|DBSize|DBSizeInUse|DBSizeQuota)" : )\d+/g,
    to: 'N',
  },
  { reason: 'the same for people', from: /\b\d+(?:\.\d)? [kMG]?B\b/g, to: 'SIZE' },
  { reason: 'the same', from: /\b\d+%/g, to: 'PERCENT' },
  {
    reason: 'term and indexes in rows of endpoint status',
    from: /(?<=, (?:true|false), (?:true|false)), \d+, \d+, \d+,/g,
    to: ', TERM, N, N,',
  },
  {
    reason: 'the same in its table',
    from: /(?<=\| +(?:true|false) \| +(?:true|false) \|) +\d+ \| +\d+ \| +\d+ \|/g,
    to: ' TERM | N | N |',
  },
  { reason: 'the server may be of another version', from: /\b3\.\d+\.\d+\b/g, to: 'VERSION' },
  {
    reason: 'the hash covers lease ids',
    from: /(?<="hash":|"Hash" : |ADDRESS, |ADDRESS \| +)\d{3,}/g,
    to: 'HASH',
  },
  { reason: 'columns are as wide as what stands in them', from: /-{2,}/g, to: '--' },
  { reason: 'the same', from: /(?<=\|) +| +(?=\|)/g, to: ' ' },
  { reason: 'ids have up to 16 digits', from: /(?<=Member|cluster) {2,}(?=[A-Z])/g, to: ' ' },
  {
    reason: 'members come in the order of their ids, and that of a new one is random',
    from: /(?<=ETCD_INITIAL_CLUSTER=")(default=[^",]*),(a b=[^"]*)/g,
    to: '$2,$1',
  },
  {
    reason: 'the same in json',
    from: /(?<="members":\[)(\{"ID":MEMBER[^}]*\}),(\{"ID":LEARNER[^}]*\})/g,
    to: '$2,$1',
  },
];
