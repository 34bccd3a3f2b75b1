import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ConnectionOptions } from 'node:tls';
import type { TlsSettings } from '../../../src/transport/tls/index.js';
import { Authority, type CertificateFiles, HOUR_MS } from './support/authority.js';
import { type Meeting, TlsPort } from './support/tls-port.js';

const folder = mkdtempSync(join(tmpdir(), 'kvorum-tls-'));
after(() => rmSync(folder, { recursive: true }));

const ca = new Authority(folder);
const server = ca.issue('server');
const files = (of: CertificateFiles): TlsSettings => ({
  certFile: of.certFile,
  keyFile: of.keyFile,
});
const shown = (of: CertificateFiles): ConnectionOptions => ({
  ca: readFileSync(ca.caFile),
  cert: readFileSync(of.certFile),
  key: readFileSync(of.keyFile),
});

async function withPort(settings: TlsSettings, use: (port: TlsPort) => Promise<void>) {
  const port = await TlsPort.open({ ...files(server), ...settings });
  try {
    await use(port);
  } finally {
    port.close();
  }
}

function assertTurnedAway(port: TlsPort, { greeting }: Meeting, reason: string): void {
  assert.equal(greeting, '');
  assert.deepEqual(port.admitted, []);
  assert.equal(port.log.at(-1), `rejected connection on client endpoint: ${reason}`);
}

describe('a TLS port', () => {
  it('serves who trusts its certificate, and asks for none', async () => {
    await withPort({}, async (port) => {
      const meeting = await port.meet({ ca: readFileSync(ca.caFile) });
      assert.equal(meeting.greeting, 'hello');
      assert.deepEqual(port.log, []);
    });
  });

  it('speaks HTTP/2 with clients of gRPC, HTTP/1.1 with those that can do both', async () => {
    await withPort({}, async (port) => {
      const spoken = async (ALPNProtocols: string[]) =>
        (await port.meet({ ca: readFileSync(ca.caFile), ALPNProtocols })).socket.alpnProtocol;
      assert.equal(await spoken(['h2']), 'h2');
      assert.equal(await spoken(['h2', 'http/1.1']), 'http/1.1');
      const { error } = await port.meet({ ca: readFileSync(ca.caFile), ALPNProtocols: ['ftp'] });
      assert.match(error!.code!, /NO_APPLICATION_PROTOCOL/);
    });
  });

  it('tells a client without TLS so, and the log', async () => {
    await withPort({}, async (port) => {
      const answer = await port.say('GET /health HTTP/1.1\r\n\r\n');
      assert.match(answer, /^HTTP\/1\.0 400 /);
      assert.match(answer, /Client sent an HTTP request to an HTTPS server\.\n$/);
      assert.match(port.log[0]!, /tls: first record does not look like a TLS handshake$/);
    });
  });

  it('waits for a handshake only so long', async () => {
    await withPort({}, async (port) => {
      assert.equal(await port.say(''), '');
      assert.equal(await port.say('\x16\x03\x01'), '');
    });
  });

  it('keeps to the versions and cipher suites it was given', async () => {
    await withPort({ minVersion: 'TLSv1.3' }, async (port) => {
      const trusted = { ca: readFileSync(ca.caFile) };
      const { error } = await port.meet({ ...trusted, maxVersion: 'TLSv1.2' });
      assert.match(error!.code!, /ALERT_PROTOCOL_VERSION/);
      assert.match(port.log[0]!, /tls: client offered only unsupported versions/);
      assert.equal((await port.meet(trusted)).greeting, 'hello');
    });
    const cipherSuites = ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'TLS_AES_128_GCM_SHA256'];
    await withPort({ cipherSuites, maxVersion: 'TLSv1.2' }, async (port) => {
      const trusted = { ca: readFileSync(ca.caFile) };
      const wrong = await port.meet({ ...trusted, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' });
      assert.match(wrong.error!.code!, /HANDSHAKE_FAILURE/);
      assert.match(port.log[0]!, /tls: no cipher suite supported by both client and server/);
      assert.equal((await port.meet(trusted)).greeting, 'hello');
    });
  });
});

describe('client certificates', () => {
  const auth = { trustedCaFile: ca.caFile };
  let client: CertificateFiles;
  let stranger: CertificateFiles;
  before(() => {
    client = ca.issue('client', { usages: ['client'] });
    stranger = new Authority(join(folder, 'other')).issue('stranger');
  });

  it('are asked for when a CA is named, and their name is known', async () => {
    await withPort(auth, async (port) => {
      const meeting = await port.meet(shown(client));
      assert.equal(meeting.greeting, 'hello');
      assert.equal(port.admitted[0]!.getPeerCertificate().subject.CN, 'client');
    });
  });

  it('that are missing, of another CA, or over are turned away', async () => {
    const over = ca.issue('over', {
      notBefore: new Date(Date.now() - 2 * HOUR_MS),
      notAfter: new Date(Date.now() - HOUR_MS),
    });
    const cases: [ConnectionOptions, string][] = [
      [{ ca: readFileSync(ca.caFile) }, "tls: client didn't provide a certificate"],
      [
        shown(stranger),
        'tls: failed to verify certificate: x509: certificate signed by unknown authority',
      ],
      [
        shown(over),
        'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
      ],
      [
        shown(ca.issue('server-only', { usages: ['server'] })),
        'tls: failed to verify certificate: x509: certificate specifies an incompatible key usage',
      ],
    ];
    for (const [options, reason] of cases) {
      await withPort(auth, async (port) =>
        assertTurnedAway(port, await port.meet(options), reason),
      );
    }
  });

  it('must have one of the allowed names', async () => {
    const named = { ...auth, allowedCommonNames: ['a', 'client'] };
    await withPort(named, async (port) => {
      assert.equal((await port.meet(shown(client))).greeting, 'hello');
    });
    const refusal = 'client certificate authentication failed';
    await withPort({ ...auth, allowedCommonNames: ['a', 'b'] }, async (port) => {
      assertTurnedAway(port, await port.meet(shown(client)), refusal);
    });
    await withPort({ ...auth, allowedHostnames: ['localhost'] }, async (port) => {
      assert.equal((await port.meet(shown(client))).greeting, 'hello');
    });
    await withPort({ ...auth, allowedHostnames: ['client'] }, async (port) => {
      assertTurnedAway(port, await port.meet(shown(client)), refusal);
    });
  });

  it('that name addresses must come from one of them', async () => {
    const cases: [hosts: string[], reason: string | undefined][] = [
      [[], undefined],
      [['127.0.0.1'], undefined],
      [['localhost', '10.0.0.1'], undefined],
      [
        ['10.0.0.1', '10.0.0.2'],
        'x509: certificate is valid for 10.0.0.1, 10.0.0.2, not 127.0.0.1',
      ],
      [['nobody.invalid'], 'tls: "127.0.0.1" does not match any of DNSNames ["nobody.invalid"]'],
    ];
    for (const [hosts, reason] of cases) {
      const from = shown(ca.issue('placed', { hosts }));
      await withPort(auth, async (port) => {
        const meeting = await port.meet(from);
        if (reason === undefined) assert.equal(meeting.greeting, 'hello', String(hosts));
        else assertTurnedAway(port, meeting, reason);
      });
      await withPort({ ...auth, skipClientAddressCheck: true }, async (port) => {
        assert.equal((await port.meet(from)).greeting, 'hello');
      });
    }
  });

  it('that are on the revocation list are turned away, from the moment that they are on it', async () => {
    const gone = ca.issue('gone');
    const crlFile = ca.revoke('list', []);
    await withPort({ ...auth, crlFile }, async (port) => {
      assert.equal((await port.meet(shown(gone))).greeting, 'hello');
      port.admitted.length = 0;
      ca.revoke('list', [stranger.issued, gone.issued]);
      const reason = `transport: certificate serial ${gone.issued.serial.toString(16)} revoked`;
      assertTurnedAway(port, await port.meet(shown(gone)), reason);
      assert.equal((await port.meet(shown(client))).greeting, 'hello');
    });
  });
});

describe('certificates that change', () => {
  it('are shown from the next connection on; a pair that does not fit is not', async () => {
    const copy = { certFile: join(folder, 'live.crt'), keyFile: join(folder, 'live.key') };
    const put = (of: CertificateFiles, which: ('certFile' | 'keyFile')[]): void => {
      for (const name of which) copyFileSync(of[name], copy[name]);
    };
    const [first, second] = [ca.issue('first'), ca.issue('second')];
    put(first, ['certFile', 'keyFile']);
    await withPort(copy, async (port) => {
      const shownName = async (): Promise<unknown> => {
        const { greeting } = await port.meet({ ca: readFileSync(ca.caFile) });
        assert.equal(greeting, 'hello');
        const own = port.admitted.at(-1)!.getCertificate();
        return own !== null && 'subject' in own ? own.subject.CN : undefined;
      };
      assert.equal(await shownName(), 'first');
      put(second, ['certFile']);
      assert.equal(await shownName(), 'first');
      assert.match(port.log.at(-1)!, /the last good ones stay: tls: private key does not match/);
      put(second, ['keyFile']);
      assert.equal(await shownName(), 'second');
    });
  });

  it('CAs too: who was a stranger is let in when his CA is added', async () => {
    const trustedCaFile = join(folder, 'live-ca.crt');
    copyFileSync(ca.caFile, trustedCaFile);
    const other = new Authority(join(folder, 'third'));
    const guest = { ...shown(other.issue('guest')), ca: readFileSync(ca.caFile) };
    await withPort({ trustedCaFile }, async (port) => {
      assert.equal((await port.meet(guest)).greeting, '');
      writeFileSync(trustedCaFile, readFileSync(ca.caFile) + readFileSync(other.caFile, 'utf8'));
      assert.equal((await port.meet(guest)).greeting, 'hello');
    });
  });
});
