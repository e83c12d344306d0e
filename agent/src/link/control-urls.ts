import { isPlainUrl } from '@vantage/shared/plain-url.js';

/** Greatest number of URLs kept. */
const MOST_URLS = 16;

/**
 * Returns those of the control plane's URLs that this node may use, each once: https; or http to this same machine,
 * or where enrollment already allowed http to other hosts (then one of `known` is such a URL).
 */
export function acceptableUrls(known: readonly string[], announced: readonly string[]): string[] {
  const isPlainAllowed = known.some((url) => isPlainUrl(new URL(url)));
  const urls = announced.flatMap((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || url.username !== '' || url.password !== '') return [];
    if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return [];
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return [];
    return isPlainAllowed || !isPlainUrl(url) ? [url.origin] : [];
  });
  return [...new Set(urls)].slice(0, MOST_URLS);
}

/**
 * Chooses the URL to dial: the one that worked last, the next one after a failure, and before all others, once, the
 * one that a departing replica recommended.
 */
export class ControlUrls {
  #urls: readonly string[];
  #at = 0;
  #hints: string[] = [];
  #failed = 0;

  /** Requires at least one URL. */
  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  get known(): readonly string[] {
    return this.#urls;
  }

  /** True if a URL has not been tried since the last link. */
  get hasUntried(): boolean {
    return this.#hints.length > 0 || this.#failed < this.#urls.length;
  }

  /** Next URL to dial. Uses up a hint. */
  next(): string {
    const url = this.#hints.shift() ?? this.#urls[this.#at % this.#urls.length];
    if (url === undefined) throw new RangeError('the identity contains no control plane');
    return url;
  }

  /** A link is open there. */
  worked(url: string): void {
    this.#failed = 0;
    this.#hints = [];
    const index = this.#urls.indexOf(url);
    if (index >= 0) this.#at = index;
  }

  /** Records that no link could be opened there. */
  failed(url: string): void {
    if (this.#urls[this.#at % this.#urls.length] !== url) return;
    this.#at = (this.#at + 1) % this.#urls.length;
    this.#failed += 1;
  }

  /** URLs to try first, once each; an empty list leaves the earlier ones in place. */
  hint(urls: readonly string[]): void {
    if (urls.length > 0) this.#hints = [...urls];
  }

  /** The list is another one now; the URL in use stays the first choice where it is among them. */
  replace(urls: readonly string[], inUse: string | null): void {
    this.#urls = urls;
    this.#failed = 0;
    this.#at = Math.max(0, inUse === null ? 0 : urls.indexOf(inUse));
  }
}
