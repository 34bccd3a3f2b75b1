/** What happened, line by line, and a running hash of it: equal hashes mean equal runs. */

/** A value in a line. Numbers are hashed as doubles, so -0 and NaN have no place here. */
export type Detail = string | number | bigint | boolean;

export type TraceKind =
  | 'world'
  | 'fault'
  | 'node'
  | 'send'
  | 'receive'
  | 'drop'
  | 'disk'
  | 'log'
  | 'role'
  | 'commit'
  | 'client';

export interface TraceEvent {
  /** Virtual microseconds. */
  readonly atUs: number;
  readonly kind: TraceKind;
  /** The node or client that it happened to; '' for the world. */
  readonly who: string;
  readonly details: readonly Detail[];
}

export type TraceListener = (event: TraceEvent) => void;

export class Trace {
  readonly #nowUs: () => number;
  readonly #listener: TraceListener | undefined;
  readonly #stringHashes = new Map<string, number>();
  readonly #double = new Float64Array(1);
  readonly #words = new Uint32Array(this.#double.buffer);
  #a = 0x811c9dc5;
  #b = 0x9747b28c;
  #count = 0;

  /** `listener` sees every event; the hash does not depend on there being one. */
  constructor(nowUs: () => number, listener?: TraceListener) {
    this.#nowUs = nowUs;
    this.#listener = listener;
  }

  record(kind: TraceKind, who: string, ...details: Detail[]): void {
    const atUs = this.#nowUs();
    this.#count++;
    this.#mixNumber(atUs);
    this.#mixString(kind);
    this.#mixString(who);
    for (const detail of details) this.#mix(detail);
    this.#listener?.({ atUs, kind, who, details });
  }

  /** Events so far. */
  get count(): number {
    return this.#count;
  }

  /** 16 hex digits. */
  get hash(): string {
    return hex(this.#a) + hex(this.#b);
  }

  #mix(detail: Detail): void {
    if (typeof detail === 'number') this.#mixNumber(detail);
    else if (typeof detail === 'string') this.#mixString(detail);
    else if (typeof detail === 'bigint') this.#mixString(detail.toString(16));
    else this.#mixWord(detail ? 1 : 0);
  }

  #mixNumber(value: number): void {
    this.#double[0] = value;
    this.#mixWord(this.#words[0]!);
    this.#mixWord(this.#words[1]!);
  }

  #mixString(value: string): void {
    if (value.length > 40) return this.#mixWord(hashOfString(value));
    let hash = this.#stringHashes.get(value);
    if (hash === undefined) {
      hash = hashOfString(value);
      if (this.#stringHashes.size < 10_000) this.#stringHashes.set(value, hash);
    }
    this.#mixWord(hash);
  }

  #mixWord(word: number): void {
    this.#a = Math.imul(this.#a ^ word, 0x01000193) ^ (this.#a >>> 15);
    this.#b = Math.imul(this.#b + word, 0x85ebca6b) ^ (this.#b >>> 13);
  }
}

/** One line for a person: time in seconds, who, what. */
export function traceLine({ atUs, kind, who, details }: TraceEvent): string {
  const seconds = (atUs / 1e6).toFixed(6).padStart(11);
  const text = details.map((detail) => (typeof detail === 'bigint' ? detail.toString(16) : detail));
  return `${seconds} ${who.padEnd(4)} ${kind.padEnd(7)} ${text.join(' ')}`;
}

function hashOfString(value: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < value.length; i++) {
    hash = Math.imul(hash ^ value.charCodeAt(i), 0x01000193);
  }
  return hash;
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
