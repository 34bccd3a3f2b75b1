/** Which way bytes may go: the conditions that the proxies ask about, kept by who sends to whom. */

/**
 * What is wrong with one direction between two parties. `hold`: bytes wait, and come through when it is
 * over, as behind a router that was away. `reset`: connections break and new ones are refused, whichever
 * of the two opens them.
 */
export type Trouble =
  | { readonly kind: 'hold' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'delay'; readonly ms: number };

/** Parties are members' names, or {@link CLIENTS}. */
export const CLIENTS = 'clients';

/** One direction. */
export class Road {
  readonly #troubles = new Set<Trouble>();
  readonly #listeners = new Set<() => void>();

  get isHeld(): boolean {
    return [...this.#troubles].some(({ kind }) => kind !== 'delay');
  }

  get isReset(): boolean {
    return [...this.#troubles].some(({ kind }) => kind === 'reset');
  }

  get delayMs(): number {
    const delays = [...this.#troubles].map((trouble) =>
      trouble.kind === 'delay' ? trouble.ms : 0,
    );
    return Math.max(0, ...delays);
  }

  /** Adds a trouble; the result takes it away again. */
  afflict(trouble: Trouble): () => void {
    const own = { ...trouble };
    this.#troubles.add(own);
    this.#tell();
    return () => {
      if (this.#troubles.delete(own)) this.#tell();
    };
  }

  /** `action` runs after each change, until the result is called. */
  onChange(action: () => void): () => void {
    this.#listeners.add(action);
    return () => this.#listeners.delete(action);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export class Roads {
  readonly #roads = new Map<string, Road>();

  between(from: string, to: string): Road {
    const key = `${from} ${to}`;
    const known = this.#roads.get(key);
    if (known !== undefined) return known;
    const road = new Road();
    this.#roads.set(key, road);
    return road;
  }
}
