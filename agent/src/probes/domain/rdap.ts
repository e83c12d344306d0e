import type { KnownNames } from '../../net/known-names.js';
import { OldServersContext } from '../../net/tls/old-servers.js';
import type { ProbeContext } from '../engine.js';
import { ProbeFailure } from '../failure.js';
import { fetchJson, type JsonAnswer } from '../http/fetch-json.js';
import { parseBootstrap, type RdapServices, rdapUrl, readRdap } from './rdap-reply.js';
import type { Registration } from './registration.js';

/** Lifetime of a bootstrap file, and the delay before one that could not be fetched is requested again. */
const FRESH_MS = 24 * 3_600_000;
const RETRY_MS = 10 * 60_000;
const headers = { Accept: 'application/rdap+json, application/json' };

type Context = Pick<ProbeContext, 'signal' | 'clock' | 'userAgent'> & { readonly names: KnownNames };

/** Queries registries by RDAP, each at the URL that the bootstrap file has for its domains. RFC 9083, RFC 9224. */
export class RdapClient {
  readonly #bootstrapUrl: string;
  readonly #tls: OldServersContext;
  #services: RdapServices | null = null;
  #askAgainAtMs = Number.NEGATIVE_INFINITY;
  /** Reason why there is no file; null: there is one. */
  #failure: ProbeFailure | null = null;

  constructor(bootstrapUrl: string, trustedCertificates?: readonly string[]) {
    this.#bootstrapUrl = bootstrapUrl;
    this.#tls = new OldServersContext(trustedCertificates);
  }

  /** @throws ProbeFailure not_supported where no registry is known, http_protocol for nonsense, and those of HTTP; or the signal's reason */
  async ask(domain: string, context: Context, onServer: (server: string) => void): Promise<Registration> {
    const url = rdapUrl(await this.#bootstrap(context), domain);
    if (url === null) throw new ProbeFailure('not_supported', 'the registry has no RDAP service');
    if (URL.canParse(url)) onServer(new URL(url).host);
    const answer = await this.#fetch(url, context);
    const registration = readRdap(answer, domain);
    if (registration === null)
      throw new ProbeFailure('http_protocol', `responded with ${answer.statusCode} without RDAP data`);
    return registration;
  }

  /** An old file is better than none. */
  async #bootstrap(context: Context): Promise<RdapServices> {
    const nowMs = context.clock.monotonicMs();
    if (nowMs >= this.#askAgainAtMs) await this.#renew(nowMs, context);
    if (this.#services !== null) return this.#services;
    throw this.#failure ?? new ProbeFailure('internal', 'no bootstrap file is loaded');
  }

  async #renew(nowMs: number, context: Context): Promise<void> {
    try {
      const services = parseBootstrap((await this.#fetch(this.#bootstrapUrl, context)).value);
      if (services === null) throw new ProbeFailure('http_protocol', 'the bootstrap file of RDAP is invalid');
      this.#services = services;
      this.#askAgainAtMs = nowMs + FRESH_MS;
    } catch (error) {
      if (this.#services !== null) this.#askAgainAtMs = nowMs + RETRY_MS;
      if (context.signal.aborted || !(error instanceof ProbeFailure)) throw error;
      this.#failure = error;
      this.#askAgainAtMs = nowMs + RETRY_MS;
    }
  }

  #fetch(url: string, context: Context): Promise<JsonAnswer> {
    return fetchJson({ url, headers, names: context.names, secureContext: this.#tls.get() }, context);
  }
}
