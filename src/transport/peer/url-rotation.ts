/**
 * The URLs of one peer. One is in use; after a failure on it the next takes its place.
 */
export class UrlRotation {
  private urls: readonly string[] = [];
  private position = 0;

  constructor(urls: readonly string[]) {
    this.replace(urls);
  }

  replace(urls: readonly string[]): void {
    this.urls = urls;
    this.position = 0;
  }

  /** The URL in use, without a slash at its end; undefined when there is none at all. */
  current(): string | undefined {
    return this.urls[this.position]?.replace(/\/+$/, '');
  }

  /** Moves on from `url`, unless somebody else has done so already. */
  failed(url: string): void {
    if (this.current() === url) this.position = (this.position + 1) % this.urls.length;
  }

  /** All URLs, beginning with the one in use. */
  inTurn(): string[] {
    const { urls, position } = this;
    return [...urls.slice(position), ...urls.slice(0, position)].map((url) =>
      url.replace(/\/+$/, ''),
    );
  }
}
