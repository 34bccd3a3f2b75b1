/** Why an endpoint can't be reached, where TLS is the reason: both ends must mean the same by it. */
import { parseEndpoint, type TlsOptions } from '../client/index.js';
import { probeTls } from '../transport/tls/index.js';

/** Resolves with Go's words, or with undefined when it is not TLS. */
export async function explainConnection(
  endpoint: string,
  tls: TlsOptions | undefined,
): Promise<string | undefined> {
  const parsed = parseEndpoint(endpoint);
  if (parsed === undefined) return undefined;
  const secure = parsed.secure ?? tls !== undefined;
  return probeTls({ ...addressOf(parsed.target), ...(secure && { tls: clientSide(tls) }) });
}

function clientSide(tls: TlsOptions | undefined) {
  const { ca, cert, key, skipVerify = false } = tls ?? {};
  return {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    rejectUnauthorized: !skipVerify,
  };
}

/** gRPC's notation: `ipv4:127.0.0.1:2379`, `dns:host:2379`, `ipv6:[::1]:2379`, `unix:path`. */
function addressOf(target: string): { path: string } | { host: string; port: number } {
  const [, scheme, rest] = /^(\w+):(.*)$/s.exec(target)!;
  if (scheme === 'unix') return { path: rest! };
  const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(rest!)!;
  return { host: host!, port: Number(port) };
}
