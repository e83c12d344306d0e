import { domain as definition } from '@vantage/shared/probe-types/domain.js';
import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import { targetHost } from '@vantage/shared/target-policy/spec.js';
import { within } from '../../net/deadline.js';
import { KnownNames } from '../../net/known-names.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { ProbeFailure, refusing, toProbeError } from '../failure.js';
import { defaultSources, type RegistrySources } from '../sources.js';
import { AskedServers } from './asked-servers.js';
import { bundledServices } from './bundled-bootstrap.js';
import { type BundledFiles, RdapClient } from './rdap.js';
import { completedBy, type Registration } from './registration.js';
import type { RegistryContext, RegistrySubject } from './registry-context.js';
import { WhoisClient } from './whois.js';

type DomainSpec = ProbeSpecs['domain'];
type DomainResult = ProbeResults['domain'];

/** A registration and the server that gave it. */
interface Found {
  readonly found: Registration;
  readonly server: string;
}

export interface DomainEngineOptions {
  /** Certificates (PEM) in place of the public roots. */
  readonly trustedCertificates?: readonly string[];
  /** Copies of the bootstrap files; default: excerpts of IANA's, for the files of IANA alone. */
  readonly bundled?: BundledFiles;
  /** Port of WHOIS servers named without one; 43 but in tests. */
  readonly whoisPort?: number;
}

/**
 * Queries the registry of a domain or of an address: by RDAP, and by WHOIS where RDAP does not give the data. Nothing is
 * sent to the target. Registries ban clients that send many queries at once.
 */
export class DomainEngine implements ProbeEngine<'domain'> {
  readonly load = { units: () => 1, maxConcurrent: 4 };
  readonly #rdap: RdapClient;
  readonly #whois: WhoisClient;

  constructor({ rdapBootstrap, whois }: RegistrySources, options: DomainEngineOptions = {}) {
    const bundled = options.bundled ?? bundledFor(rdapBootstrap);
    this.#rdap = new RdapClient(rdapBootstrap, bundled, options.trustedCertificates);
    this.#whois = new WhoisClient(whois, options.whoisPort);
  }

  async run(spec: DomainSpec, context: ProbeContext): Promise<DomainResult> {
    const { clock } = context;
    const startedAt = clock.monotonicMs();
    const asked = new AskedServers(spec.params.skip_servers ?? []);
    const found: DomainResult = { success: true, error: null, ...definition.blank() };
    const end = (failure: ProbeFailure | null): DomainResult => ({
      ...found,
      success: failure === null,
      error: failure === null ? null : toProbeError(failure),
      asked: asked.entries,
      lookup_ms: roundMs(clock.monotonicMs() - startedAt),
    });
    try {
      await within(limitOf(spec.params.timeout_ms, clock), context.signal, (signal) =>
        this.#ask(spec, { ...context, signal }, { found, asked }),
      );
      return end(null);
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      // the time is over, and a registration was found
      return end(found.source !== null && !context.signal.aborted ? null : error);
    }
  }

  async #ask(
    spec: DomainSpec,
    context: ProbeContext,
    { found, asked }: { readonly found: DomainResult; readonly asked: AskedServers },
  ): Promise<void> {
    const { policy, resolver, signal, clock } = context;
    const subject = await subjectOf(spec, policy);
    found.kind = subject.kind;
    found.domain = subject.kind === 'domain' ? subject.name : null;
    const names = new KnownNames(resolver, { ipVersion: 'auto', policy, signal });
    const common: RegistryContext = { ...context, names, asked };
    // WHOIS needs time too
    const limit = limitOf(spec.params.timeout_ms / 2, clock);
    const byRdap = await attempt(context.signal, () =>
      within(limit, signal, (limited) => this.#rdap.ask(subject, { ...common, signal: limited })),
    );
    const keep = (byWhois: Found) => takeWhois(found, byWhois, byRdap);
    if (!(byRdap instanceof ProbeFailure)) {
      take(found, 'rdap', byRdap);
      if (isDecisive(byRdap, subject)) return;
    }
    const byWhois = await attempt(context.signal, () => this.#whois.ask(subject, { ...common, keep }));
    if (byRdap instanceof ProbeFailure && byWhois instanceof ProbeFailure) throw neither(byRdap, byWhois);
  }
}

/** An operator's own files name the only servers to ask: public ones do not stand in for them. */
function bundledFor({ dns, ipv4, ipv6 }: RegistrySources['rdapBootstrap']): BundledFiles {
  const usual = defaultSources.registries.rdapBootstrap;
  return {
    dns: dns === usual.dns ? bundledServices.dns : null,
    ipv4: ipv4 === usual.ipv4 ? bundledServices.ipv4 : null,
    ipv6: ipv6 === usual.ipv6 ? bundledServices.ipv6 : null,
  };
}

async function subjectOf(spec: DomainSpec, policy: ProbeContext['policy']): Promise<RegistrySubject> {
  const host = refusing(() => targetHost('domain', spec));
  refusing(() => policy.checkHost(host));
  if (host.kind === 'address') return { kind: 'address', name: host.address, family: host.family };
  // loaded on demand: the list of suffixes is large, and few nodes need it
  const { registrableDomain } = await import('@vantage/shared/target-policy/registrable-domain.js');
  return { kind: 'domain', name: registrableDomain(host.name) };
}

function limitOf(ms: number, clock: ProbeContext['clock']) {
  return { clock, ms, reason: () => new ProbeFailure('timeout', `no response within ${ms} ms`) };
}

/** Runs one lookup and returns its outcome, or the failure. @throws the signal's reason */
async function attempt(signal: AbortSignal, ask: () => Promise<Found>): Promise<Found | ProbeFailure> {
  try {
    return await ask();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ProbeFailure) return error;
    throw error;
  }
}

function isDecisive({ found }: Found, { kind }: RegistrySubject): boolean {
  return kind === 'address' || !found.registered || found.expires_at !== null;
}

/** Takes the record of WHOIS if RDAP has none, or not the date: a name that RDAP knows is not free. */
function takeWhois(result: DomainResult, byWhois: Found, byRdap: Found | ProbeFailure): void {
  if (byRdap instanceof ProbeFailure) take(result, 'whois', byWhois);
  else if (byWhois.found.expires_at !== null) take(result, 'whois', byWhois, byRdap);
}

/** `other` is what another source has of it, for the data that the first one leaves open. */
function take(result: DomainResult, protocol: 'rdap' | 'whois', { found, server }: Found, other?: Found): void {
  Object.assign(result, other === undefined ? found : completedBy(found, other.found));
  result.source = { protocol, server };
}

/** Failure of both protocols. Where RDAP is not available, only WHOIS gives the reason. */
function neither(rdap: ProbeFailure, whois: ProbeFailure): ProbeFailure {
  const { code } = whois.code === 'not_supported' && rdap.code !== 'not_supported' ? rdap : whois;
  const known = code === 'not_supported' || code === 'target_not_allowed' ? 'no_reply' : code;
  return new ProbeFailure(known, `RDAP: ${rdap.message}; WHOIS: ${whois.message}`, { cause: whois });
}
