import { setMaxListeners } from 'node:events';
import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import { zone_audit as definition, MAX_FACT_ENTRIES } from '@vantage/shared/probe-types/zone-audit.js';
import { targetHost } from '@vantage/shared/target-policy/spec.js';
import { within } from '../../net/deadline.js';
import { QueryBudget } from '../../net/query-budget.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { ProbeFailure, refusing, toProbeError } from '../failure.js';
import { type AuditContext, shownName } from './audit-context.js';
import { collectRecords } from './collect-records.js';
import { askAuthority, auditServers, findServers } from './collect-servers.js';
import { unknownFacts, type ZoneFacts } from './facts.js';
import { judgeZone } from './judge.js';

type ZoneAuditSpec = ProbeSpecs['zone_audit'];
type ZoneAuditResult = ProbeResults['zone_audit'];

const DNS_PORT = 53;

/**
 * Queries the servers of a zone and the node's resolver, at most 32 queries together, and judges what they respond.
 * Zone transfers and open recursion are not tried.
 */
export class ZoneAuditEngine implements ProbeEngine<'zone_audit'> {
  readonly load = { units: () => 1, maxConcurrent: 8 };

  /** `port`: port of name servers; 53 but in tests. */
  constructor(private readonly port = DNS_PORT) {}

  async run(spec: ZoneAuditSpec, context: ProbeContext): Promise<ZoneAuditResult> {
    const { clock } = context;
    const startedAt = clock.monotonicMs();
    const budget = new QueryBudget();
    let facts: ZoneFacts | null = null;
    const end = (failure: ProbeFailure | null): ZoneAuditResult => ({
      ...definition.blank(),
      success: failure === null,
      error: failure === null ? null : toProbeError(failure),
      domain: facts?.zone ?? null,
      ...(facts === null || failure !== null ? {} : describe(facts)),
      queries: budget.spentCount,
      lookup_ms: facts === null ? null : roundMs(clock.monotonicMs() - startedAt),
    });
    try {
      const zone = unknownFacts(await zoneOf(spec, context));
      facts = zone;
      await this.#collect(spec.params.timeout_ms, zone, { ...context, budget, port: this.port });
      if (context.signal.aborted) throw context.signal.reason;
      return end(null);
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      return end(error);
    }
  }

  /** The end of the time ends the queries, and what is known by then is judged. */
  async #collect(timeoutMs: number, facts: ZoneFacts, context: AuditContext): Promise<void> {
    const reason = () => new ProbeFailure('timeout', `no response within ${timeoutMs} ms`);
    await within({ clock: context.clock, ms: timeoutMs, reason }, context.signal, async (signal) => {
      // each query listens to it
      setMaxListeners(0, signal);
      const limited = { ...context, signal };
      const { zone } = facts;
      const { servers, isDelegation } = await findServers(zone, limited);
      if (isDelegation) facts.parent = servers.map((one) => ({ ...one, name: shownName(one.name, context) }));
      await Promise.all([
        this.#askServers(facts, servers, limited),
        collectRecords(zone, limited, (found) => Object.assign(facts, found)),
      ]);
    });
  }

  async #askServers(
    facts: ZoneFacts,
    servers: Parameters<typeof auditServers>[1],
    context: AuditContext,
  ): Promise<void> {
    facts.servers = await auditServers(facts.zone, servers, context);
    const authority = facts.servers.find(({ outcome }) => outcome === 'answer')?.address ?? null;
    if (authority !== null) Object.assign(facts, await askAuthority(facts.zone, authority, context));
  }
}

/** The engine of every node. */
export const zoneAudit = new ZoneAuditEngine();

async function zoneOf(spec: ZoneAuditSpec, { policy }: Pick<ProbeContext, 'policy'>): Promise<string> {
  const host = refusing(() => targetHost('zone_audit', spec));
  refusing(() => policy.checkHost(host));
  if (host.kind === 'address') throw new ProbeFailure('target_not_allowed', 'an address has no zone of its own');
  const { registrableDomain } = await import('@vantage/shared/target-policy/registrable-domain.js');
  return registrableDomain(host.name);
}

function describe(facts: ZoneFacts): Omit<ZoneAuditResult, 'success' | 'error' | 'domain' | 'queries' | 'lookup_ms'> {
  const { parent, child, servers, ds } = facts;
  return {
    ...judgeZone(facts),
    parent_name_servers: (parent ?? []).map(({ name }) => name).slice(0, MAX_FACT_ENTRIES),
    name_servers: [...(child ?? [])].slice(0, MAX_FACT_ENTRIES),
    servers: servers
      .map(({ name, address, outcome, soa }) => ({ name, address, outcome, serial: soa?.serial ?? null }))
      .slice(0, MAX_FACT_ENTRIES),
    soa: servers.find(({ soa }) => soa !== null)?.soa ?? null,
    signed: ds === null ? null : ds.length > 0,
  };
}
