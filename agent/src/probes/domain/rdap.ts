import type { KnownNames } from '../../net/known-names.js';
import { OldServersContext } from '../../net/tls/old-servers.js';
import type { ProbeContext } from '../engine.js';
import { ProbeFailure } from '../failure.js';
import { fetchJson, type JsonAnswer } from '../http/fetch-json.js';
import { parseBootstrap, type RdapServices, rdapUrl, readRdap } from './rdap-reply.js';
import type { Registration } from './registration.js';

/** How long a bootstrap file is believed, and how long one is not asked for again that could not be had. */
const FRESH_MS = 24 * 3_600_000;
const RETRY_MS = 10 * 60_000;
const headers = { Accept: 'application/rdap+json, application/json' };

type Context = Pick<ProbeContext, 'signal' | 'clock' | 'userAgent'> & { readonly names: KnownNames };

/** Asks registries by RDAP, each at the URL that the bootstrap file has for its domains. RFC 9083, RFC 9224. */
export class RdapClient {
  readonly #bootstrapUrl: string;
  readonly #tls: OldServersContext;
  #services: RdapServices | null = null;
  #askAgainAtMs = Number.NEGATIVE_INFINITY;
  /** Why there is no file; null: there is. */
  #failure: ProbeFailure | null = null;

  constructor(bootstrapUrl: string, trustedCertificates?: readonly string[]) {
    this.#bootstrapUrl = bootstrapUrl;
    this.#tls = new OldServersContext(trustedCertificates);
  }

  /** @throws ProbeFailure not_supported where no registry is known, http_protocol for nonsense, and those of HTTP; or the signal's reason */
  async ask(domain: string, context: Context, onServer: (server: string) => void): Promise<Registration> {
    const url = rdapUrl(await this.#bootstrap(context), domain);
    if (url === null) throw new ProbeFailure('not_supported', 'its registry has no RDAP');
    if (URL.canParse(url)) onServer(new URL(url).host);
    const answer = await this.#fetch(url, context);
    const registration = readRdap(answer, domain);
    if (registration === null)
      throw new ProbeFailure('http_protocol', `answers ${answer.statusCode}, which is no RDAP of it`);
    return registration;
  }

  /** An old file is better than none. */
  async #bootstrap(context: Context): Promise<RdapServices> {
    const nowMs = context.clock.monotonicMs();
    if (nowMs >= this.#askAgainAtMs) await this.#renew(nowMs, context);
    if (this.#services !== null) return this.#services;
    throw this.#failure ?? new ProbeFailure('internal', 'there is no bootstrap file');
  }

  async #renew(nowMs: number, context: Context): Promise<void> {
    try {
      const services = parseBootstrap((await this.#fetch(this.#bootstrapUrl, context)).value);
      if (services === null) throw new ProbeFailure('http_protocol', 'the bootstrap file of RDAP is none');
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
