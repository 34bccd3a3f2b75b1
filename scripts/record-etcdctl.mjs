// Records test/fixtures/cli/etcdctl-3.6.16.json: plays the transcript's steps with real etcdctl 3.6.16
// against a fresh real etcd 3.6.16. Needs a build, and KVORUM_ETCD_DIR naming the folder of both.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { etcdCommand, etcdInstallations } from '../dist/test/e2e/support/binaries.js';
import { Member } from '../dist/test/e2e/support/member.js';
import { runTranscript, spawned } from '../dist/test/e2e/support/transcript.js';

const VERSION = '3.6.16';
const etcd = etcdInstallations.find(({ version }) => version === VERSION);
if (etcd === undefined) throw new Error(`no etcd ${VERSION} in KVORUM_ETCD_DIR or PATH`);

const member = await Member.start({ server: etcdCommand(etcd) });
const outcomes = await runTranscript({ play: spawned([etcd.ctl]), endpoint: member.endpoint });
const recording = { etcdctl: VERSION, etcd: etcd.version, outcomes };
const folder = fileURLToPath(new URL('../test/fixtures/cli/', import.meta.url));
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}etcdctl-${VERSION}.json`, JSON.stringify(recording, null, 1) + '\n');
console.log(`recorded ${outcomes.length} command lines`);
process.exit(0);
