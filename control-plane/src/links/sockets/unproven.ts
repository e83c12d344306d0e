import type { Clock } from '@vantage/shared/clock.js';
import { boundsOf, isLoopback } from '../../limits/caller-networks.js';
import { HeldAtOnce } from '../../runtime/held-at-once.js';

/** Time for which sockets count that were closed without a proof. */
const WINDOW_MS = 10_000;
/** Networks remembered for that; beyond, the oldest is forgotten. */
const MAX_NETWORKS = 10_000;

interface UnprovenOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Sockets at once: enough for a reconnect storm, too few to exhaust memory. */
  readonly most: number;
  /** Limit for one address or IPv6 /64, of open sockets and of those closed within ten seconds; loopback is exempt. */
  readonly mostPerAddress: number;
}

/** Stops counting a socket, once: its peer is authenticated, or has disconnected. */
export type Leave = (hasProved: boolean) => void;

/**
 * Sockets whose peers have not proved who they are. A peer that opens sockets one after the other without a proof is
 * delayed like one that opens them all at once: each takes a place that agents wait for.
 */
export class Unproven {
  readonly #open: HeldAtOnce;
  readonly #failed = new Map<string, { readonly endsMs: number; count: number }>();
  #size = 0;

  constructor(private readonly options: UnprovenOptions) {
    this.#open = new HeldAtOnce(options.mostPerAddress);
  }

  /** Counts one more socket; null if its address, or all addresses together, have too many. */
  enter(address: string): Leave | null {
    if (this.#size >= this.options.most || this.#hasFailed(address)) return null;
    const giveBack = this.#open.take(address);
    if (giveBack === null) return null;
    let isCounted = true;
    this.#size += 1;
    return (hasProved) => {
      if (!isCounted) return;
      isCounted = false;
      this.#size -= 1;
      giveBack();
      if (!hasProved && !isLoopback(address)) this.#countFailure(address);
    };
  }

  #hasFailed(address: string): boolean {
    const now = this.options.clock.monotonicMs();
    return boundsOf(address, this.options.mostPerAddress).some(({ key, most }) => {
      const failed = this.#failed.get(key);
      return failed !== undefined && now < failed.endsMs && failed.count >= most;
    });
  }

  #countFailure(address: string): void {
    const now = this.options.clock.monotonicMs();
    for (const { key } of boundsOf(address, this.options.mostPerAddress)) {
      const failed = this.#failed.get(key);
      if (failed !== undefined && now < failed.endsMs) failed.count += 1;
      else this.#remember(key, now + WINDOW_MS);
    }
  }

  #remember(key: string, endsMs: number): void {
    this.#failed.delete(key);
    this.#failed.set(key, { endsMs, count: 1 });
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > MAX_NETWORKS && oldest !== undefined) this.#failed.delete(oldest);
  }
}
