/** Members by name: traces and explanations tell them by their ids, decimal or hexadecimal. */
import type { TraceEvent } from '../trace.js';

export class MemberIds {
  readonly #hosts = new Map<string, string>();

  /** A `node` event: those that tell of a start tell the id. */
  node({ who, details }: TraceEvent): void {
    const id = details[details.indexOf('member') + 1];
    if (typeof id !== 'bigint') return;
    this.#hosts.set(id.toString(), who);
    this.#hosts.set(id.toString(16), who);
  }

  /** The text with hosts for ids, but where it tells whose the id is. */
  named(text: string): string {
    return text.replace(/(?<!member )\b[0-9a-f]{12,20}\b/g, (id) => this.#hosts.get(id) ?? id);
  }
}
