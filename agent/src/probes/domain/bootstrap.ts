import { within } from '../../net/deadline.js';
import { ProbeFailure } from '../failure.js';
import type { JsonAnswer } from '../http/fetch-json.js';
import { parseBootstrap, type RdapServices } from './bootstrap-file.js';
import type { RegistryContext } from './registry-context.js';

/** Lifetime of a bootstrap file, and the delay before one that could not be fetched is requested again. */
const FRESH_MS = 24 * 3_600_000;
const RETRY_MS = 10 * 60_000;
/** Time for the file, after which another copy serves if one exists. */
const PATIENCE_MS = 3000;

export interface BootstrapOptions {
  readonly url: string;
  /** Copy that serves until the file has been fetched, or null. */
  readonly bundled: RdapServices | null;
  readonly fetch: (url: string, context: RegistryContext) => Promise<JsonAnswer>;
}

/** List of the RDAP servers of one kind, fetched once a day. RFC 9224. */
export class Bootstrap {
  readonly #options: BootstrapOptions;
  #services: RdapServices | null;
  #askAgainAtMs = Number.NEGATIVE_INFINITY;
  /** Reason why there is no file; null if there is one. */
  #failure: ProbeFailure | null = null;

  constructor(options: BootstrapOptions) {
    this.#options = options;
    this.#services = options.bundled;
  }

  /** The servers; an old file is better than none. @throws ProbeFailure without any; or the signal's reason */
  async services(context: RegistryContext): Promise<RdapServices> {
    const nowMs = context.clock.monotonicMs();
    if (nowMs >= this.#askAgainAtMs) await this.#renew(nowMs, context);
    if (this.#services !== null) return this.#services;
    throw this.#failure ?? new ProbeFailure('internal', 'no bootstrap file is loaded');
  }

  async #renew(nowMs: number, context: RegistryContext): Promise<void> {
    try {
      this.#services = await (this.#services === null ? this.#load(context) : this.#loadSoon(context));
      this.#askAgainAtMs = nowMs + FRESH_MS;
    } catch (error) {
      if (this.#services !== null) this.#askAgainAtMs = nowMs + RETRY_MS;
      if (context.signal.aborted || !(error instanceof ProbeFailure)) throw error;
      this.#failure = error;
      this.#askAgainAtMs = nowMs + RETRY_MS;
    }
  }

  #loadSoon(context: RegistryContext): Promise<RdapServices> {
    const reason = () => new ProbeFailure('timeout', 'the bootstrap file of RDAP takes too long');
    const limit = { clock: context.clock, ms: PATIENCE_MS, reason };
    return within(limit, context.signal, (signal) => this.#load({ ...context, signal }));
  }

  async #load(context: RegistryContext): Promise<RdapServices> {
    const { url, fetch } = this.#options;
    const services = parseBootstrap((await fetch(url, context)).value);
    if (services === null) throw new ProbeFailure('http_protocol', 'the bootstrap file of RDAP is invalid');
    return services;
  }
}
