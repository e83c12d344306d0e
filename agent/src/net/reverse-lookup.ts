import type { Clock } from '@vantage/shared/clock.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { arpaName } from '../probes/dns/arpa-name.js';
import { askUdpThenTcp, plainQuery } from './dns/ask.js';
import type { DnsServer } from './dns/dns-server.js';
import { hasHiddenAlias } from './dns/hidden-alias.js';
import { targetNameOf } from './dns/record-data.js';
import type { QueryBudget } from './query-budget.js';

/** Longest name that is reported; escaping makes some longer than a name can be. */
const maxNameLength = 253;

/** Limits of a reverse lookup. */
export interface ReverseOptions {
  /** Names of private networks that it does not open are left out, and whatever an alias into one leads to. */
  readonly policy: TargetPolicy;
  readonly signal: AbortSignal;
  readonly budget: QueryBudget;
}

/**
 * The name of an address (PTR, RFC 1035 section 3.5), without its final dot and with everything unusual escaped; null
 * where it has none, or one that
 * strangers may not see. Asks one server, and once. Waits until the signal fires.
 * @throws ProbeFailure dns_*, tcp_* or *_unreachable; or the signal's reason
 */
export async function reverseLookup(
  address: string,
  server: DnsServer,
  { policy, signal, budget, clock }: ReverseOptions & { readonly clock: Clock },
): Promise<string | null> {
  const querySpec = plainQuery({ name: arpaName(address), type: 'PTR' });
  const { message } = await askUdpThenTcp(querySpec, server, { signal, clock, budget, resendAfterMs: null });
  if (hasHiddenAlias(message, policy)) return null;
  // an alias may come between (RFC 2317), so the owner of the record need not be the queried name
  const record = message.answers.find(({ type }) => type === 'PTR');
  const name = record === undefined ? null : targetNameOf(record);
  return name === null || name.length > maxNameLength || policy.isHiddenName(name) ? null : name;
}
