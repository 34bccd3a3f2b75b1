import assert from 'node:assert/strict';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createCertificate } from '../../../src/transport/tls/certificate.js';
import { integer, objectId, readElements, sequence } from '../../../src/transport/tls/der.js';

const notBefore = new Date('2026-01-02T03:04:05Z');
const notAfter = new Date('2060-01-02T03:04:05Z');

describe('certificates of our own making', () => {
  it('are read back by OpenSSL as they were asked for', () => {
    const hosts = ['example.com', '10.1.2.3', '::1', 'fe80::12', '1:2:3:4:5:6:7:8', '::'];
    const subject = { organization: 'etcd', commonName: 'm1' };
    const made = createCertificate({ subject, hosts, notBefore, notAfter, usages: ['server'] });
    const read = new X509Certificate(made.certificatePem);
    assert.equal(read.subject, 'O=etcd\nCN=m1');
    assert.equal(read.issuer, read.subject);
    assert.equal(read.validFrom, 'Jan  2 03:04:05 2026 GMT');
    assert.equal(read.validTo, 'Jan  2 03:04:05 2060 GMT');
    assert.equal(read.ca, false);
    assert.deepEqual(read.keyUsage, ['1.3.6.1.5.5.7.3.1']);
    assert.equal(BigInt(`0x${read.serialNumber}`), made.serial);
    for (const host of hosts) {
      assert.ok(read.checkHost(host) ?? read.checkIP(host), host);
    }
    assert.equal(read.checkHost('example.org'), undefined);
    assert.ok(read.verify(createPublicKey(made.keyPem)));
    assert.ok(read.checkPrivateKey(made.privateKey));
  });

  it('are signed by their issuer', () => {
    const times = { notBefore, notAfter };
    const ca = createCertificate({ subject: { commonName: 'ca' }, isCa: true, ...times });
    const leaf = createCertificate({ subject: { commonName: 'leaf' }, issuer: ca, ...times });
    const [authority, read] = [ca, leaf].map(
      ({ certificatePem }) => new X509Certificate(certificatePem),
    );
    assert.ok(authority!.ca);
    assert.equal(read!.issuer, 'CN=ca');
    assert.ok(read!.checkIssued(authority!));
    assert.ok(read!.verify(authority!.publicKey));
    assert.ok(!read!.verify(read!.publicKey));
  });
});

describe('DER', () => {
  it('has known forms', () => {
    assert.equal(integer(0n).toString('hex'), '020100');
    assert.equal(integer(128n).toString('hex'), '02020080');
    assert.equal(objectId('1.2.840.10045.4.3.2').toString('hex'), '06082a8648ce3d040302');
  });

  it('reads what it has written, of any length', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: 0n, max: 2n ** 2200n }), { maxLength: 40 }),
        (values) => {
          const [list, ...rest] = readElements(sequence(...values.map(integer)));
          assert.equal(rest.length, 0);
          const read = readElements(list!.content).map(({ content }) => content.toString('hex'));
          assert.deepEqual(
            read.map((hex) => BigInt(`0x${hex}`)),
            values,
          );
        },
      ),
    );
  });

  it('refuses what is cut off, and never reads beyond it', () => {
    const whole = sequence(integer(2n ** 2000n), integer(7n));
    for (let length = 1; length < whole.length; length++) {
      assert.throws(() => readElements(whole.subarray(0, length)));
    }
  });
});
