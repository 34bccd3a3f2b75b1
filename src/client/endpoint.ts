/** Where a server listens, as etcd's clients write it. */

export interface Endpoint {
  /** Target in gRPC's own notation. */
  target: string;
  /** Is a TLS connection asked for by the scheme? undefined when it does not say. */
  secure?: boolean;
}

/**
 * `host:port`, `http://host:port`, `https://host:port`, `unix://path`, `unixs://path`; a path behind the port is ignored.
 * undefined for what can never be connected to (no port, another scheme): like a server that is not
 * there, so that the endpoints beside it still serve.
 */
export function parseEndpoint(text: string): Endpoint | undefined {
  const [, scheme, rest] = /^(?:([a-z]+):\/\/)?(.*)$/s.exec(text)!;
  switch (scheme) {
    case undefined:
      return hostPort(rest!);
    case 'http':
      return hostPort(rest!.split('/')[0]!, false);
    case 'https':
      return hostPort(rest!.split('/')[0]!, true);
    case 'unix':
      return { target: `unix:${rest}`, secure: false };
    case 'unixs':
      return { target: `unix:${rest}`, secure: true };
    default:
      return undefined;
  }
}

function hostPort(text: string, secure?: boolean): Endpoint | undefined {
  const [, host, port] = /^([^:[\]\s]+|\[[0-9a-fA-F:.]+\]):([0-9]+)$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65535) return undefined;
  const endpoint: Endpoint = { target: `${resolver(host)}:${host}:${port}` };
  if (secure !== undefined) endpoint.secure = secure;
  return endpoint;
}

function resolver(host: string): string {
  if (host.startsWith('[')) return 'ipv6';
  return /^[0-9]+(\.[0-9]+){3}$/.test(host) ? 'ipv4' : 'dns';
}
