/** The conformance suite h2spec, where it is found: H2SPEC names it, or it is on PATH. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { it } from 'node:test';
import { GrpcTransport } from '../../../src/transport/grpc/transport.js';
import { listen } from '../../../src/transport/listen.js';

const h2spec = process.env['H2SPEC'] ?? 'h2spec';
const found = spawnSync(h2spec, ['--version']).status === 0;

/** Speaks HTTP/2 only, as a client sees it that has asked for it by ALPN. */
async function startPort() {
  const transport = new GrpcTransport({
    methods: [],
    maxRequestBytes: 1_000_000,
    maxConcurrentStreams: 100,
    logger: () => {},
    http: async () => ({ status: 200, body: 'long enough for every window that is tried' }),
  });
  const server = createServer({ noDelay: true }, (socket) => transport.inject(socket));
  const port = await listen(server, { kind: 'tcp', secure: false, host: '127.0.0.1', port: 0 });
  const close = (): void => {
    transport.destroy();
    server.close();
  };
  return { port, close };
}

it('h2spec finds nothing to complain of', { skip: !found && 'h2spec is not there' }, async () => {
  const { port, close } = await startPort();
  const args = ['-p', String(port), '-P', '/', '-o', '5'];
  const output = await new Promise<string>((resolve) => {
    execFile(h2spec, args, (_error, stdout) => resolve(stdout));
  });
  close();
  const [, tests, passed, skipped, failed] =
    /(\d+) tests, (\d+) passed, (\d+) skipped, (\d+) failed/.exec(output) ?? [];
  assert.ok(Number(tests) > 100, output);
  assert.deepEqual([passed, skipped, failed], [tests, '0', '0'], output);
});
