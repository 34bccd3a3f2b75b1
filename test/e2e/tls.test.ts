/** TLS as administrators set it up: etcdctl and kvorumctl against servers with certificates. */
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { TlsSettings } from '../../src/embed/index.js';
import { Authority, type CertificateFiles } from '../transport/tls/support/authority.js';
import { etcdInstallations, program } from './support/binaries.js';
import { type Child, run } from './support/child.js';
import { InProcessServer, type InProcessOptions } from './support/in-process.js';
import { Member } from './support/member.js';
import { freePort } from './support/ports.js';
import { tempDir } from './support/temp-dir.js';

const folder = tempDir();
const ca = new Authority(folder);
const other = new Authority(join(folder, 'other'));
const server = ca.issue('server');
const client = ca.issue('client', { usages: ['client'] });
const stranger = other.issue('stranger');

/** kvorumctl, and an etcdctl if there is one. */
const tools: [name: string, words: string[]][] = [
  ['kvorumctl', program('kvorumctl')],
  ...etcdInstallations
    .slice(0, 1)
    .map(({ ctl, version }): [string, string[]] => [`etcdctl ${version}`, [ctl]]),
];

const filesOf = ({ certFile, keyFile }: CertificateFiles): TlsSettings => ({ certFile, keyFile });
const trust = [`--cacert=${ca.caFile}`];
const show = (files: CertificateFiles): string[] => [
  `--cert=${files.certFile}`,
  `--key=${files.keyFile}`,
];

async function ctl(
  words: string[],
  endpoint: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Child> {
  const [command, ...before] = words as [string, ...string[]];
  const all = [...before, `--endpoints=${endpoint}`, ...args];
  return run(command, all, { env: { ETCDCTL_API: '3', ...env }, timeoutMs: 60_000 });
}

function shown(child: Child): string {
  return `${child.exit?.code} ${child.stdout.toString()}`;
}

function secure({ clientPort }: InProcessServer): string {
  return `https://127.0.0.1:${clientPort}`;
}

describe('the client port with TLS', () => {
  let member: InProcessServer;
  before(async () => {
    const clientTls = { ...filesOf(server), trustedCaFile: ca.caFile, clientCertAuth: true };
    member = await InProcessServer.start({ clientScheme: 'https', clientTls });
  });
  after(() => member.stop());

  test('serves those whose certificate its CA has signed', async () => {
    const endpoint = secure(member);
    for (const [name, words] of tools) {
      const mine = [...trust, ...show(client)];
      assert.equal(shown(await ctl(words, endpoint, [...mine, 'put', name, 'v'])), '0 OK\n', name);
      const environment = {
        ETCDCTL_CACERT: ca.caFile,
        ETCDCTL_CERT: client.certFile,
        ETCDCTL_KEY: client.keyFile,
      };
      const get = ['get', name, '--print-value-only'];
      assert.equal(shown(await ctl(words, endpoint, get, environment)), '0 v\n', name);
      const trusting = ['--insecure-skip-tls-verify', ...show(client), ...get];
      assert.equal(shown(await ctl(words, endpoint, trusting)), '0 v\n', name);
    }
    assert.ok(member.log.some((line) => line.startsWith('serving client traffic securely')));
  });

  test('turns others away; kvorumctl says why', async () => {
    const at = secure(member);
    const cases: [flags: string[], warning: RegExp][] = [
      [trust, /remote error: tls: certificate required/],
      [
        [`--cacert=${other.caFile}`, ...show(client)],
        /x509: certificate signed by unknown authority/,
      ],
    ];
    for (const [name, words] of tools) {
      for (const [flags, warning] of cases) {
        const child = await ctl(words, at, [...flags, '--command-timeout=500ms', 'get', 'a']);
        assert.equal(shown(child), '1 ', name);
        assert.match(child.stderr, /Error: context deadline exceeded\n$/, name);
        if (name === 'kvorumctl') assert.match(child.stderr, warning);
      }
    }
    const mixed = [...trust, `--cert=${client.certFile}`, `--key=${stranger.keyFile}`, 'get', 'a'];
    const child = await ctl(program('kvorumctl'), at, mixed);
    assert.equal(child.exit?.code, 128);
    assert.equal(child.stderr, 'Error: tls: private key does not match public key\n');
  });

  test('tells a client without TLS so', async () => {
    const at = `http://127.0.0.1:${member.clientPort}`;
    const child = await ctl(program('kvorumctl'), at, ['--command-timeout=500ms', 'get', 'a']);
    assert.equal(
      child.stderr,
      `Warning: ${at}: the server speaks TLS: use https:// or --cacert\n` +
        'Error: context deadline exceeded\n',
    );
  });
});

test('a port without TLS says so to those who come with it', async () => {
  const member = await InProcessServer.start();
  try {
    const args = [...trust, '--command-timeout=500ms', 'get', 'a'];
    for (const [name, words] of tools) {
      const child = await ctl(words, secure(member), args);
      assert.equal(shown(child), '1 ', name);
      if (name !== 'kvorumctl') continue;
      assert.match(child.stderr, /tls: first record does not look like a TLS handshake/);
    }
    await member.logged(/rejected connection .* client sent a TLS handshake to a port without TLS/);
  } finally {
    await member.stop();
  }
});

test('a start without usable certificates is one clear line and exit 1', async () => {
  const { certFile, keyFile } = ca.issue('over', { notAfter: new Date(Date.now() - 60_000) });
  const url = `https://127.0.0.1:${await freePort()}`;
  const member = await Member.create({
    flags: { 'cert-file': certFile, 'key-file': keyFile, 'listen-client-urls': url },
  });
  const [command, ...args] = member.commandLine() as [string, ...string[]];
  const child = await run(command, args, { timeoutMs: 60_000 });
  assert.equal(child.exit?.code, 1);
  const last = JSON.parse(child.stderr.trimEnd().split('\n').at(-1)!) as Record<string, string>;
  assert.equal(last['level'], 'fatal');
  assert.match(last['error']!, /^x509: certificate has expired: .*over\.crt was good until /);
});

test('URLs with TLS need certificates; peers must trust the one they are given', async () => {
  const refusals: [InProcessOptions, RegExp][] = [
    [
      { clientScheme: 'https' },
      /^TLS key\/cert \(--cert-file, --key-file\) must be provided for client url https:\/\/.* with HTTPS scheme$/,
    ],
    [{ peerScheme: 'https' }, /^cannot listen on TLS for https:.*: KeyFile and CertFile are not/],
    [
      { peerScheme: 'https', peerTls: { ...filesOf(stranger), trustedCaFile: ca.caFile } },
      /^x509: certificate signed by unknown authority: .*stranger\.crt is of no CA in/,
    ],
  ];
  for (const [options, message] of refusals) {
    await assert.rejects(InProcessServer.launch(options), { message });
  }
});

test('auto-tls: a certificate of its own', async () => {
  const member = await InProcessServer.start({
    clientScheme: 'https',
    clientTls: { selfSigned: true },
  });
  try {
    const made = join(member.options.dataDir, 'fixtures', 'client', 'cert.pem');
    const [, words] = tools.at(-1)!;
    const put = await ctl(words, secure(member), [`--cacert=${made}`, 'put', 'a', 'b']);
    assert.equal(shown(put), '0 OK\n');
  } finally {
    await member.stop();
  }
});

test('a certificate that was replaced is shown without a restart', async () => {
  const live = { certFile: join(folder, 'live.crt'), keyFile: join(folder, 'live.key') };
  const use = (files: CertificateFiles): void => {
    copyFileSync(files.keyFile, live.keyFile);
    copyFileSync(files.certFile, live.certFile);
  };
  use(stranger);
  const member = await InProcessServer.start({ clientScheme: 'https', clientTls: live });
  try {
    const [, words] = tools.at(-1)!;
    const exitOf = async (authority: Authority, timeout = '5s'): Promise<unknown> => {
      const args = [`--cacert=${authority.caFile}`, `--command-timeout=${timeout}`, 'get', 'a'];
      return (await ctl(words, secure(member), args)).exit?.code;
    };
    assert.equal(await exitOf(other), 0);
    use(server);
    assert.equal(await exitOf(ca), 0);
    assert.equal(await exitOf(other, '500ms'), 1);
  } finally {
    await member.stop();
  }
});

describe('peers with TLS', () => {
  async function launch(tlsOf: (index: number) => TlsSettings): Promise<InProcessServer[]> {
    const ports = [await freePort(), await freePort(), await freePort()];
    const initialCluster = ports.map((port, index) => ({
      name: `m${index}`,
      peerUrls: [`https://127.0.0.1:${port}`],
    }));
    return Promise.all(
      ports.map((peerPort, index) =>
        InProcessServer.launch({
          peerScheme: 'https',
          peerPort,
          peerTls: tlsOf(index),
          config: { name: `m${index}`, initialCluster },
        }),
      ),
    );
  }

  test('two find each other, a third with a wrong certificate stays outside', async () => {
    const good = [0, 1].map((index) => ca.issue(`peer-${index}`, { commonName: 'peer' }));
    const wrong = ca.issue('impostor');
    const common = {
      trustedCaFile: ca.caFile,
      clientCertAuth: true,
      allowedCommonNames: ['peer'],
    };
    const members = await launch((index) => ({ ...filesOf(good[index] ?? wrong), ...common }));
    const [first, second, third] = members as [InProcessServer, InProcessServer, InProcessServer];
    try {
      await Promise.all([first.store.member.ready, second.store.member.ready]);
      await first.store.put('a', 'b');
      assert.equal((await second.store.get('a'))?.value, 'b');
      await first.logged(
        /rejected connection on peer endpoint client certificate authentication failed/,
      );
      assert.equal(third.store.member.leader, 0n);
      assert.equal(third.store.revision, 1);

      await third.stop();
      const files = filesOf(ca.issue('peer-2', { commonName: 'peer' }));
      const back = await InProcessServer.launch({
        ...third.options,
        peerTls: { ...files, ...common },
      });
      members[2] = back;
      assert.equal((await back.store.get('a'))?.value, 'b');
    } finally {
      await Promise.all(members.map((member) => member.stop()));
    }
  });

  test('peer-auto-tls needs no files', async () => {
    const members = await launch(() => ({ selfSigned: true }));
    try {
      await Promise.all(members.map(({ store }) => store.member.ready));
      await members[2]!.store.put('a', 'b');
      assert.equal((await members[0]!.store.get('a'))?.value, 'b');
    } finally {
      await Promise.all(members.map((member) => member.stop()));
    }
  });
});
