/** TLS flags as settings of the two kinds of ports. */
import type { TlsSettings } from '../embed/index.js';
import { OptionsError } from './options-error.js';
import type { ServerFlagValues } from './server-flags.js';
import { quoted } from './server-urls.js';

/** Of the client port. Throws an {@link OptionsError}. */
export function clientTls(values: ServerFlagValues): TlsSettings {
  return {
    ...files(values, ''),
    ...text(values, 'client-crl-file', 'crlFile'),
    ...bool(values, 'client-cert-auth', 'clientCertAuth'),
    ...list(values, 'client-cert-allowed-hostname', 'allowedHostnames'),
    ...bool(values, 'auto-tls', 'selfSigned'),
    ...common(values),
  };
}

/** Of the peer port, and towards peers. Throws an {@link OptionsError}. */
export function peerTls(values: ServerFlagValues): TlsSettings {
  const [name, host] = ['peer-cert-allowed-cn', 'peer-cert-allowed-hostname'];
  if (values.text(name!) !== '' && values.text(host!) !== '') {
    throw new OptionsError(
      'AllowedCN and AllowedHostname are mutually exclusive' +
        ` (cn=${quoted(values.text(name!))}, hostname=${quoted(values.text(host!))})`,
    );
  }
  return {
    ...files(values, 'peer-'),
    ...text(values, 'peer-crl-file', 'crlFile'),
    ...bool(values, 'peer-client-cert-auth', 'clientCertAuth'),
    ...list(values, name!, 'allowedCommonNames'),
    ...list(values, host!, 'allowedHostnames'),
    ...bool(values, 'peer-skip-client-san-verification', 'skipClientAddressCheck'),
    ...bool(values, 'peer-auto-tls', 'selfSigned'),
    ...common(values),
  };
}

function files(values: ServerFlagValues, prefix: '' | 'peer-'): TlsSettings {
  return {
    ...text(values, `${prefix}cert-file`, 'certFile'),
    ...text(values, `${prefix}key-file`, 'keyFile'),
    ...text(values, `${prefix}client-cert-file`, 'clientCertFile'),
    ...text(values, `${prefix}client-key-file`, 'clientKeyFile'),
    ...text(values, `${prefix}trusted-ca-file`, 'trustedCaFile'),
  };
}

function common(values: ServerFlagValues): TlsSettings {
  return {
    selfSignedValidityYears: values.number('self-signed-cert-validity'),
    ...list(values, 'cipher-suites', 'cipherSuites'),
    ...version(values.text('tls-min-version'), 'minVersion'),
    ...version(values.text('tls-max-version'), 'maxVersion'),
  };
}

function text(values: ServerFlagValues, flag: string, name: keyof TlsSettings): TlsSettings {
  const value = values.text(flag);
  return value === '' ? {} : { [name]: value };
}

function list(values: ServerFlagValues, flag: string, name: keyof TlsSettings): TlsSettings {
  const value = values.text(flag);
  return value === '' ? {} : { [name]: value.split(',') };
}

function bool(values: ServerFlagValues, flag: string, name: keyof TlsSettings): TlsSettings {
  return values.bool(flag) ? { [name]: true } : {};
}

function version(value: string, name: 'minVersion' | 'maxVersion'): TlsSettings {
  if (value === '') return {};
  if (value !== 'TLS1.2' && value !== 'TLS1.3') {
    throw new OptionsError(`unexpected TLS version ${quoted(value)}`);
  }
  return { [name]: value.replace('TLS', 'TLSv') };
}
