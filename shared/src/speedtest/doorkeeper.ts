import type { Clock } from '../clock.js';
import { formatAddress, parseAddress } from '../target-policy/address.js';

/** Requests from one address (IPv6: one /64) a minute; a speed test makes two. */
const REQUESTS_PER_MINUTE = 12;
const MINUTE_MS = 60_000;
/** Requests answered at a time; each fills the line as far as it can. */
const MAX_AT_ONCE = 4;
/** Addresses remembered; beyond that the oldest is forgotten. */
const MAX_ADDRESSES = 10_000;

/** May come in, and calls `leave` once when done; or must come back later. */
export type Admission =
  | { readonly isAdmitted: true; readonly leave: () => void }
  | { readonly isAdmitted: false; readonly status: 429 | 503; readonly retryAfterSeconds: number };

/** Bounds what strangers may make a server send and swallow: so many at a time, so many a minute from one address. */
export class Doorkeeper {
  readonly #clock: Clock;
  readonly #windows = new Map<string, { startedMs: number; count: number }>();
  #inside = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Requests admission for one request from an address. */
  enter(address: string): Admission {
    const key = networkOf(address);
    const now = this.#clock.monotonicMs();
    const known = this.#windows.get(key);
    const window = known === undefined || now - known.startedMs >= MINUTE_MS ? { startedMs: now, count: 0 } : known;
    if (window.count >= REQUESTS_PER_MINUTE) {
      const restMs = window.startedMs + MINUTE_MS - now;
      return { isAdmitted: false, status: 429, retryAfterSeconds: Math.ceil(restMs / 1000) };
    }
    if (this.#inside >= MAX_AT_ONCE) return { isAdmitted: false, status: 503, retryAfterSeconds: 10 };
    window.count += 1;
    this.#remember(key, window);
    return { isAdmitted: true, leave: this.#leaver() };
  }

  #leaver(): () => void {
    let hasLeft = false;
    this.#inside += 1;
    return () => {
      if (!hasLeft) this.#inside -= 1;
      hasLeft = true;
    };
  }

  #remember(key: string, window: { startedMs: number; count: number }): void {
    this.#windows.delete(key);
    this.#windows.set(key, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MAX_ADDRESSES && oldest !== undefined) this.#windows.delete(oldest);
  }
}

/** An IPv6 address stands for its /64, which one subscriber has whole. */
function networkOf(text: string): string {
  const address = parseAddress(text);
  if (address === null) return text;
  return address.family === 4 ? formatAddress(address) : `${address.value >> 64n}`;
}
