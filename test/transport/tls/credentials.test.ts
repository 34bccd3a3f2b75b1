import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { X509Certificate } from 'node:crypto';
import { opensslCiphers } from '../../../src/transport/tls/cipher-suites.js';
import {
  selfSignedFiles,
  TlsCredentials,
  type TlsSettings,
  TlsSettingsError,
} from '../../../src/transport/tls/index.js';
import { revokedSerials } from '../../../src/transport/tls/revocations.js';
import { Authority, HOUR_MS } from './support/authority.js';

const folder = mkdtempSync(join(tmpdir(), 'kvorum-tls-'));
after(() => rmSync(folder, { recursive: true }));
const ca = new Authority(folder);
const good = ca.issue('good');

function open(settings: TlsSettings, ownMustBeTrusted = false): TlsCredentials {
  const options = { ownMustBeTrusted, logger: () => {}, wallMs: () => Date.now() };
  return new TlsCredentials(settings, options);
}

function refusal(settings: TlsSettings, ownMustBeTrusted = false): string {
  try {
    open(settings, ownMustBeTrusted);
  } catch (error) {
    assert.ok(error instanceof TlsSettingsError);
    assert.ok(!error.message.includes('\n'));
    return error.message;
  }
  return '(none)';
}

describe('certificates that can’t be used are refused in one line', () => {
  const garbage = join(folder, 'garbage.pem');
  writeFileSync(garbage, 'garbage\n');
  const none = join(folder, 'none.pem');
  const pair = { certFile: good.certFile, keyFile: good.keyFile };

  it('good ones are not', () => {
    assert.equal(refusal(pair), '(none)');
    assert.equal(refusal({ ...pair, trustedCaFile: ca.caFile }, true), '(none)');
  });

  it('a half, a missing file, no PEM, a key of another certificate', () => {
    const { certFile, keyFile } = pair;
    const other = ca.issue('other').keyFile;
    const cases: [TlsSettings, string][] = [
      [{ certFile }, `KeyFile and CertFile must both be present[key: , cert: ${certFile}]`],
      [
        { ...pair, clientCertFile: certFile },
        `ClientKeyFile and ClientCertFile must both be present or both absent: [key: , cert: ${certFile}]`,
      ],
      [{ certFile: none, keyFile }, `open ${none}: no such file or directory`],
      [{ certFile, keyFile: folder }, `open ${folder}: is a directory`],
      [
        { certFile: garbage, keyFile },
        `tls: failed to find any PEM data in certificate input (${garbage})`,
      ],
      [
        { certFile, keyFile: garbage },
        `tls: failed to find any PEM data in key input (${garbage})`,
      ],
      [
        { certFile, keyFile: other },
        `tls: private key does not match public key (${certFile}, ${other})`,
      ],
      [{ ...pair, trustedCaFile: none }, `open ${none}: no such file or directory`],
      [{ ...pair, crlFile: garbage }, `x509: malformed crl (${garbage})`],
      [{ ...pair, crlFile: certFile }, `x509: malformed crl (${certFile})`],
    ];
    for (const [settings, message] of cases) assert.equal(refusal(settings), message);
  });

  it('one that is over, or not yet good', () => {
    const at = (from: number, to: number) => ({
      notBefore: new Date(Date.now() + from * HOUR_MS),
      notAfter: new Date(Date.now() + to * HOUR_MS),
    });
    const over = ca.issue('over', at(-2, -1));
    assert.match(
      refusal({ ...over }),
      /^x509: certificate has expired: .*over\.crt was good until /,
    );
    const early = ca.issue('early', at(1, 2));
    assert.match(refusal({ ...early }), /^x509: certificate is not yet valid: .* is good from /);
  });

  it('between peers, one of another CA', () => {
    const other = new Authority(join(folder, 'other'), 'other-ca');
    const settings = { ...pair, trustedCaFile: other.caFile };
    assert.equal(refusal(settings), '(none)');
    assert.equal(
      refusal(settings, true),
      `x509: certificate signed by unknown authority: ${pair.certFile} is of no CA in ${other.caFile}`,
    );
  });

  it('versions and suites that can’t be', () => {
    assert.equal(
      refusal({ ...pair, minVersion: 'TLSv1.3', maxVersion: 'TLSv1.2' }),
      'min version (TLS1.3) is greater than max version (TLS1.2)',
    );
    assert.equal(
      refusal({ ...pair, minVersion: 'TLSv1.3', cipherSuites: ['TLS_AES_128_GCM_SHA256'] }),
      'cipher suites cannot be configured when only TLS1.3 is enabled',
    );
    assert.equal(refusal({ ...pair, cipherSuites: ['X'] }), 'unexpected TLS cipher suite "X"');
    assert.equal(opensslCiphers([]), undefined);
    assert.match(
      opensslCiphers(['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305'])!,
      /:ECDHE-RSA-CHACHA20-POLY1305$/,
    );
  });
});

describe('a look for changes', () => {
  it('reads nothing while nothing has changed', () => {
    const credentials = open({ certFile: good.certFile, keyFile: good.keyFile });
    const first = credentials.current();
    assert.equal(credentials.current(), first);
    writeFileSync(good.keyFile, readFileSync(good.keyFile));
    assert.notEqual(credentials.current(), first);
  });
});

describe('revocation lists', () => {
  it('name serial numbers; an empty one none', () => {
    const [a, b] = [ca.issue('a').issued, ca.issue('b').issued];
    const read = revokedSerials(readFileSync(ca.revoke('both', [a, b])));
    const serials = [a, b].map(
      ({ certificatePem }) => new X509Certificate(certificatePem).serialNumber,
    );
    assert.deepEqual([...read].sort(), serials.sort());
    assert.deepEqual([...revokedSerials(readFileSync(ca.revoke('empty', [])))], []);
  });
});

describe('self-signed certificates', () => {
  const request = { hosts: ['127.0.0.1', 'localhost'], validityYears: 2, wallMs: Date.now() };

  it('are made once, for their owner’s eyes, and made anew when they are over', () => {
    const at = { ...request, folder: join(folder, 'fixtures', 'client') };
    const files = selfSignedFiles(at);
    const first = new X509Certificate(readFileSync(files.certFile));
    assert.equal(statSync(files.keyFile).mode & 0o777, 0o600);
    assert.ok(first.checkIP('127.0.0.1'));
    const days = (Date.parse(first.validTo) - at.wallMs) / (24 * HOUR_MS);
    assert.equal(Math.round(days), 730);
    open(selfSignedFiles(at));
    assert.equal(new X509Certificate(readFileSync(files.certFile)).fingerprint, first.fingerprint);
    selfSignedFiles({ ...at, wallMs: at.wallMs + 731 * 24 * HOUR_MS });
    assert.notEqual(
      new X509Certificate(readFileSync(files.certFile)).fingerprint,
      first.fingerprint,
    );
  });

  it('need a year at least, and a folder that takes them', () => {
    const years = { ...request, folder, validityYears: 0 };
    assert.throws(() => selfSignedFiles(years), /selfSignedCertValidity is invalid/);
    const blocked = join(folder, 'blocked');
    writeFileSync(blocked, '');
    chmodSync(blocked, 0o600);
    assert.throws(
      () => selfSignedFiles({ ...request, folder: join(blocked, 'x') }),
      TlsSettingsError,
    );
  });
});
