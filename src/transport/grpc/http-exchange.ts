/** A plain HTTP request that came over HTTP/2: what curl and browsers speak where they can. */
import {
  BARE,
  type ErrorCode,
  type FieldList,
  type OutgoingField,
  type RequestHead,
  Stream,
} from '../../grpc/index.js';
import type { HttpReply } from '../../server/rpc.js';
import type { PlainHttp } from '../client-http.js';

export class HttpExchange extends Stream {
  private asked = false;

  constructor(
    private readonly http: PlainHttp,
    private readonly head: RequestHead,
    private readonly fields: FieldList,
  ) {
    super();
    this.announcedBytes = head.contentLength;
  }

  override headers(_: FieldList, ended: boolean): void {
    if (ended) this.ask();
  }

  override data(_bytes: Buffer, start: number, end: number, ended: boolean): void {
    this.use(end - start);
    if (ended) this.ask();
  }

  override aborted(_: ErrorCode): void {}

  protected override drained(): void {}

  private ask(): void {
    if (this.asked) return;
    this.asked = true;
    const { method, path } = this.head;
    const request = { method, target: path, headers: headersOf(this.fields) };
    void this.http(request).then((reply) => this.answer(reply));
  }

  private answer(reply: HttpReply): void {
    const body = Buffer.from(reply.body);
    const fields: OutgoingField[] = [[':status', String(reply.status)]];
    for (const [name, value] of Object.entries(reply.headers ?? {})) {
      fields.push([name.toLowerCase(), value]);
    }
    fields.push(['content-length', String(body.length)]);
    const bodiless = body.length === 0 || this.head.method === 'HEAD';
    this.sendHeaders(fields, bodiless);
    if (!bodiless) this.send(BARE, body, true);
  }
}

function headersOf(fields: FieldList): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = {};
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] === ':authority' ? 'host' : fields[i]!;
    if (name.startsWith(':')) continue;
    headers[name] =
      headers[name] === undefined ? fields[i + 1] : `${headers[name]}, ${fields[i + 1]}`;
  }
  return headers;
}
