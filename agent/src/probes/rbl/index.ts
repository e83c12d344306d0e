import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { MAX_LISTED_ADDRESSES, type RblLookup } from '@vantage/shared/probe-types/rbl.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import { type Host, parseHost } from '@vantage/shared/target-policy/host.js';
import { targetHost } from '@vantage/shared/target-policy/spec.js';
import { within } from '../../net/deadline.js';
import { ownServer, ownServers } from '../../net/dns/dns-server.js';
import { type AskServersOptions, askServers } from '../../net/name-lookup.js';
import { QueryBudget } from '../../net/query-budget.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { ProbeFailure, refusing, toProbeError } from '../failure.js';
import type { BlocklistSources } from '../sources.js';
import { judgeReply, listedName, reasonIn } from './reply.js';

type RblSpec = ProbeSpecs['rbl'];
type RblResult = ProbeResults['rbl'];

/**
 * Queries blocklists about the addresses of a target, all at once. Nothing is sent to the target, and a zone without
 * a valid answer fails nothing.
 */
export class RblEngine implements ProbeEngine<'rbl'> {
  constructor(private readonly sources: BlocklistSources) {}

  async run(spec: RblSpec, context: ProbeContext): Promise<RblResult> {
    const { clock } = context;
    const reason = () => new ProbeFailure('timeout', `no response within ${spec.params.timeout_ms} ms`);
    try {
      return await within({ clock, ms: spec.params.timeout_ms, reason }, context.signal, (signal) =>
        this.#ask(spec, { ...context, signal }, context.signal),
      );
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      return { success: false, error: toProbeError(error), lookups: [], lookup_ms: null };
    }
  }

  /** `outer`: an abort from outside discards the result; the probe's own deadline keeps the responses so far. */
  async #ask(spec: RblSpec, context: ProbeContext, outer: AbortSignal): Promise<RblResult> {
    const { clock, policy, resolver, signal } = context;
    const budget = new QueryBudget();
    const zones = zonesOf(spec, this.sources);
    refusing(() => zones.forEach((zone) => policy.checkHost(zone, 'params.zones')));
    const host = refusing(() => targetHost('rbl', spec));
    const { addresses } = await resolver.resolve({ host, ipVersion: 'auto', policy, signal, budget });
    const { servers } = this.sources;
    const options = {
      policy,
      signal,
      clock,
      budget,
      servers: servers.length > 0 ? servers.map(ownServer) : ownServers(resolver.servers),
    };
    const startedAt = clock.monotonicMs();
    const pairs = pickAddresses(addresses).flatMap(({ address }) => zones.map(({ name }) => ({ address, zone: name })));
    const lookups = await Promise.all(pairs.map(({ address, zone }) => lookUp(address, zone, options)));
    if (outer.aborted) throw outer.reason;
    const failure = lookups.some(({ lookup }) => lookup.listed !== null) ? null : nobodyAnswered(lookups);
    return {
      success: failure === null,
      error: failure === null ? null : toProbeError(failure),
      lookups: lookups.map(({ lookup }) => lookup),
      lookup_ms: roundMs(clock.monotonicMs() - startedAt),
    };
  }
}

function zonesOf({ params }: RblSpec, { zones }: BlocklistSources): Extract<Host, { kind: 'name' }>[] {
  const hosts = refusing(() => (params.zones ?? zones).map((zone) => parseHost(zone, 'params.zones')));
  return hosts.filter((host) => host.kind === 'name');
}

/** One of each family before two of one. */
function pickAddresses<A extends { readonly family: 4 | 6 }>(addresses: readonly A[]): A[] {
  const first = ([4, 6] as const).flatMap((wanted) => addresses.find(({ family }) => family === wanted) ?? []);
  return [...new Set([...first, ...addresses])].slice(0, MAX_LISTED_ADDRESSES);
}

/** Servers to query about a zone, and the policy for its reply. */
type ZoneOptions = AskServersOptions & Pick<ProbeContext, 'policy'>;

/** Result of one zone, and the failure that kept it from answering. */
interface Asked {
  readonly lookup: RblLookup;
  readonly failure: ProbeFailure | null;
}

/** Looks an address up in a zone. Never rejects: a failure is an answer that does not count. */
async function lookUp(address: string, zone: string, options: ZoneOptions): Promise<Asked> {
  const name = listedName(address, zone);
  try {
    const { message } = await askServers({ name, type: 'A' }, options);
    const { listed, codes, error } = judgeReply(message, options.policy);
    const reason = listed === true ? await findReason(name, options) : null;
    return { lookup: { zone, address, listed, codes: [...codes], reason, error }, failure: null };
  } catch (failure) {
    if (!(failure instanceof ProbeFailure)) throw failure;
    const error = failure.message.slice(0, 200);
    return { lookup: { zone, address, listed: null, codes: [], reason: null, error }, failure };
  }
}

/** The code is one of the node's network only where nothing came back from anybody. */
function nobodyAnswered(asked: readonly Asked[]): ProbeFailure {
  const failures = asked.map(({ failure }) => failure?.code ?? null);
  const code = failures.includes(null) ? 'dns_refused' : (failures[0] ?? 'dns_error');
  const [first] = asked;
  const example = first === undefined ? '' : ` (${first.lookup.zone}: ${first.lookup.error})`;
  return new ProbeFailure(code, `no blocklist gave a valid response${example}`);
}

/** Finds the reason of a listing. An address is listed even if the reason cannot be found. */
async function findReason(name: string, options: ZoneOptions): Promise<string | null> {
  try {
    const { message } = await askServers({ name, type: 'TXT' }, options);
    return reasonIn(message, options.policy);
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw error;
    return null;
  }
}
