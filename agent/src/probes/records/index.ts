import { setMaxListeners } from 'node:events';
import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { type LookedUpRecordType, lookedUpRecordTypes } from '@vantage/shared/probe-types/records.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import { targetHost } from '@vantage/shared/target-policy/spec.js';
import { within } from '../../net/deadline.js';
import { ownServers } from '../../net/dns/dns-server.js';
import { hasHiddenAlias } from '../../net/dns/hidden-alias.js';
import { rcodeFailure } from '../../net/dns/response-codes.js';
import { type AskServersOptions, askServers } from '../../net/name-lookup.js';
import { QueryBudget } from '../../net/query-budget.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { ProbeFailure, refusing, toProbeError } from '../failure.js';
import { failureOf, summarise, type TypeOutcome } from './summary.js';

type RecordsSpec = ProbeSpecs['records'];
type RecordsResult = ProbeResults['records'];

/**
 * Queries the node's own resolver for the records of a name, all types at once. A name that does not exist is a result;
 * the lookup fails only if no type has a valid response.
 */
export class RecordsEngine implements ProbeEngine<'records'> {
  async run(spec: RecordsSpec, context: ProbeContext): Promise<RecordsResult> {
    const { clock, policy } = context;
    const startedAt = clock.monotonicMs();
    const outcomes: TypeOutcome[] = [];
    let domain: string | null = null;
    const end = (failure: ProbeFailure | null): RecordsResult => ({
      success: failure === null,
      error: failure === null ? null : toProbeError(failure),
      domain,
      ...summarise(domain ?? '', outcomes, policy),
      lookup_ms: domain === null ? null : roundMs(clock.monotonicMs() - startedAt),
    });
    try {
      const name = nameOf(spec, policy);
      domain = name;
      const { timeout_ms: timeoutMs, type } = spec.params;
      const reason = () => new ProbeFailure('dns_timeout', `no response within ${timeoutMs} ms`);
      await within({ clock, ms: timeoutMs, reason }, context.signal, async (signal) => {
        // each query listens to it
        setMaxListeners(0, signal);
        const options = { signal, clock, budget: new QueryBudget(), servers: ownServers(context.resolver.servers) };
        const types = type === undefined ? lookedUpRecordTypes : [type];
        outcomes.push(...(await Promise.all(types.map((one) => askType(name, one, { options, policy })))));
      });
      if (context.signal.aborted) throw context.signal.reason;
      return end(failureOf(outcomes));
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      return end(error);
    }
  }
}

/** The engine of every node. */
export const records = new RecordsEngine();

function nameOf(spec: RecordsSpec, policy: ProbeContext['policy']): string {
  const host = refusing(() => targetHost('records', spec));
  refusing(() => policy.checkHost(host));
  if (host.kind === 'address') throw new ProbeFailure('target_not_allowed', 'an address has no records of its own');
  return host.name;
}

/** Response about one type. Never rejects: what failed is an outcome, so that other types keep theirs. */
async function askType(
  name: string,
  type: LookedUpRecordType,
  { options, policy }: { readonly options: AskServersOptions; readonly policy: ProbeContext['policy'] },
): Promise<TypeOutcome> {
  try {
    const { message } = await askServers({ name, type }, options);
    if (hasHiddenAlias(message, policy))
      throw new ProbeFailure('target_not_allowed', `"${name}" resolves to a name that is not allowed`);
    const failure = message.rcode === 'NXDOMAIN' ? null : rcodeFailure(message, name);
    return { type, outcome: failure ?? message };
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw error;
    return { type, outcome: error };
  }
}
