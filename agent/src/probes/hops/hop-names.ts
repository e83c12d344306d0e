import { setMaxListeners } from 'node:events';
import type { Clock } from '@vantage/shared/clock.js';
import { TargetError } from '@vantage/shared/target-policy/host.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { PlainAbortSignal } from '../../net/plain-abort-signal.js';
import type { QueryBudget } from '../../net/query-budget.js';
import type { Resolver } from '../../net/resolver.js';
import { ProbeFailure } from '../failure.js';

/** Time to wait for names when nothing else is awaited, in milliseconds. */
const patienceMs = 1000;

/** Dependencies and limits of the lookup of hop names. */
export interface HopNamesOptions {
  readonly resolver: Resolver;
  /** Policy; addresses that it refuses are not looked up, because names inside private networks are confidential. */
  readonly policy: TargetPolicy;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Shared with the resolution of the target, so that a result costs no more questions than any other. */
  readonly budget: QueryBudget;
}

/** Names of addresses by reverse DNS, each looked up once, in parallel, during the trace. */
export class HopNames {
  readonly #options: HopNamesOptions;
  readonly #names = new Map<string, string>();
  readonly #lookups = new Map<string, Promise<void>>();
  readonly #end = new PlainAbortSignal();
  readonly #onAbort = () => this.#end.abort(this.#options.signal.reason);
  /** First error that is a defect and not a failed lookup. */
  #fault: unknown = null;

  constructor(options: HopNamesOptions) {
    this.#options = options;
    // every lookup adds a listener; the budget bounds their number
    setMaxListeners(0, this.#end);
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal.aborted) this.#onAbort();
  }

  /** Starts the lookup of a name; an address whose lookup fails, or exceeds the budget, has none. */
  want(address: string): void {
    if (this.#lookups.has(address) || this.#end.aborted) return;
    this.#lookups.set(address, this.#isAskedFor(address) ? this.#lookUp(address) : Promise.resolve());
  }

  /** The names there are after a second at most; ends what is still open. */
  async finish(): Promise<ReadonlyMap<string, string>> {
    const cancel = this.#options.clock.after(patienceMs, () =>
      this.#end.abort(new ProbeFailure('dns_timeout', 'no time left for names')),
    );
    await Promise.all(this.#lookups.values());
    cancel();
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    if (this.#fault !== null) throw this.#fault;
    return this.#names;
  }

  #isAskedFor(address: string): boolean {
    try {
      this.#options.policy.checkAddress(address);
      return true;
    } catch (error) {
      if (error instanceof TargetError) return false;
      throw error;
    }
  }

  async #lookUp(address: string): Promise<void> {
    const { resolver, budget, policy } = this.#options;
    try {
      const name = await resolver.reverse(address, { signal: this.#end, budget, policy });
      if (name !== null) this.#names.set(address, name);
    } catch (error) {
      if (!(error instanceof ProbeFailure)) this.#fault = error;
    }
  }
}
