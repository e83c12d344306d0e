import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import { targetHost } from '@vantage/shared/target-policy/spec.js';
import { within } from '../../net/deadline.js';
import { KnownNames } from '../../net/known-names.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { ProbeFailure, refusing, toProbeError } from '../failure.js';
import type { RegistrySources } from '../sources.js';
import { RdapClient } from './rdap.js';
import type { Registration } from './registration.js';
import { WhoisClient } from './whois.js';
import { readWhois } from './whois-reply.js';

type DomainSpec = ProbeSpecs['domain'];
type DomainResult = ProbeResults['domain'];
type Found = Omit<DomainResult, 'success' | 'error' | 'lookup_ms'>;

/**
 * Queries the registry of a domain for the end of its registration: by RDAP, and by WHOIS where RDAP does not give
 * it. Nothing is sent to the target. Registries ban clients that send many queries at once.
 */
export class DomainEngine implements ProbeEngine<'domain'> {
  readonly load = { units: () => 1, maxConcurrent: 4 };
  readonly #rdap: RdapClient;
  readonly #whois: WhoisClient;

  /** `trustedCertificates` (PEM) stand in for the public roots. */
  constructor({ rdapBootstrapUrl, whois }: RegistrySources, trustedCertificates?: readonly string[]) {
    this.#rdap = new RdapClient(rdapBootstrapUrl, trustedCertificates);
    this.#whois = new WhoisClient(whois);
  }

  async run(spec: DomainSpec, context: ProbeContext): Promise<DomainResult> {
    const { clock } = context;
    const startedAt = clock.monotonicMs();
    const found: Found = { domain: null, registered: null, expires_at: null, source: null, server: null };
    const end = (failure: ProbeFailure | null): DomainResult => ({
      success: failure === null,
      error: failure === null ? null : toProbeError(failure),
      ...found,
      lookup_ms: roundMs(clock.monotonicMs() - startedAt),
    });
    try {
      await within(limitOf(spec.params.timeout_ms, clock), context.signal, (signal) =>
        this.#ask(spec, { ...context, signal }, found),
      );
      return end(null);
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      return end(error);
    }
  }

  async #ask(spec: DomainSpec, context: ProbeContext, found: Found): Promise<void> {
    const { policy, resolver, signal, clock } = context;
    const host = refusing(() => targetHost('domain', spec));
    refusing(() => policy.checkHost(host));
    if (host.kind === 'address') throw new ProbeFailure('target_not_allowed', 'an address has no registration');
    // loaded on demand: the list of suffixes is large, and few nodes need it
    const { registrableDomain } = await import('@vantage/shared/target-policy/registrable-domain.js');
    const domain = registrableDomain(host.name);
    found.domain = domain;
    const names = new KnownNames(resolver, { ipVersion: 'auto', policy, signal });
    const onServer = (server: string) => {
      found.server = server;
    };
    // WHOIS needs time too
    const limit = limitOf(spec.params.timeout_ms / 2, clock);
    const byRdap = await attempt(context.signal, () =>
      within(limit, signal, (limited) => this.#rdap.ask(domain, { ...context, signal: limited, names }, onServer)),
    );
    if (!(byRdap instanceof ProbeFailure) && isDecisive(byRdap)) return take(found, 'rdap', byRdap);
    const byWhois = await attempt(context.signal, async () => {
      const registration = readWhois(await this.#whois.ask(domain, { ...context, names }, onServer), domain);
      if (registration === null) throw new ProbeFailure('no_reply', 'returned no readable record of the domain');
      return registration;
    });
    if (!(byWhois instanceof ProbeFailure) && (isDecisive(byWhois) || byRdap instanceof ProbeFailure))
      return take(found, 'whois', byWhois);
    // the registry knows the domain, but no source states its expiry
    if (!(byRdap instanceof ProbeFailure)) return take(found, 'rdap', byRdap);
    if (byWhois instanceof ProbeFailure) throw neither(byRdap, byWhois);
  }
}

function limitOf(ms: number, clock: ProbeContext['clock']) {
  return { clock, ms, reason: () => new ProbeFailure('timeout', `no response within ${ms} ms`) };
}

/** Runs one lookup and returns its registration, or the failure. @throws the signal's reason */
async function attempt(signal: AbortSignal, ask: () => Promise<Registration>): Promise<Registration | ProbeFailure> {
  try {
    return await ask();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ProbeFailure) return error;
    throw error;
  }
}

function isDecisive(registration: Registration): boolean {
  return !registration.isRegistered || registration.expiresAt !== null;
}

function take(found: Found, source: 'rdap' | 'whois', registration: Registration): void {
  found.source = source;
  found.registered = registration.isRegistered;
  found.expires_at = registration.isRegistered ? registration.expiresAt : null;
}

/** Failure of both protocols. Where RDAP is not available, only WHOIS tells the reason. */
function neither(rdap: ProbeFailure, whois: ProbeFailure): ProbeFailure {
  const { code } = whois.code === 'not_supported' && rdap.code !== 'not_supported' ? rdap : whois;
  const known = code === 'not_supported' || code === 'target_not_allowed' ? 'no_reply' : code;
  return new ProbeFailure(known, `RDAP: ${rdap.message}; WHOIS: ${whois.message}`, { cause: whois });
}
