/** Recorded runs of real etcdctl 3.4 and 3.5: test/fixtures/cli/captures. */
import { readFileSync } from 'node:fs';

const folder = new URL('../../../../test/fixtures/cli/captures/', import.meta.url);

/** What a recorded run wrote to stdout, as bytes in a latin1 string. */
export function captured(name: string): string {
  const file = readFileSync(new URL(`${name}.txt`, folder), 'latin1');
  const block =
    /-----BEGIN stdout \((\d+) bytes, (text|base64)\)-----\n([^]*?)-----END stdout-----/;
  const [, length, form, body] = block.exec(file)!;
  const bytes = form === 'base64' ? Buffer.from(body!, 'base64').toString('latin1') : body!;
  return bytes.slice(0, Number(length));
}
