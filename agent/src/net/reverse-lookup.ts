import type { Clock } from '@vantage/shared/clock.js';
import { arpaName } from '../probes/dns/arpa-name.js';
import { askUdpThenTcp, plainAsking } from './dns/ask.js';
import { targetNameOf } from './dns/record-data.js';
import type { Endpoint } from './endpoint.js';
import type { QueryBudget } from './query-budget.js';

/** Longest name that is told; escaping makes some longer than a name can be. */
const maxNameLength = 253;

/** What limits a reverse lookup. */
export interface ReverseOptions {
  readonly signal: AbortSignal;
  readonly budget: QueryBudget;
}

/**
 * The name of an address (PTR, RFC 1035 section 3.5), without its final dot and with everything unusual escaped; null
 * where it has none. Asks one server, and once. Waits until the signal fires.
 * @throws ProbeFailure dns_*, tcp_* or *_unreachable; or the signal's reason
 */
export async function reverseLookup(
  address: string,
  server: Endpoint,
  { signal, budget, clock }: ReverseOptions & { readonly clock: Clock },
): Promise<string | null> {
  const asking = plainAsking({ name: arpaName(address), type: 'PTR' });
  const { message } = await askUdpThenTcp(asking, server, { signal, clock, budget, resendAfterMs: null });
  // an alias may stand between (RFC 2317), so the owner of the record need not be what was asked for
  const record = message.answers.find(({ type }) => type === 'PTR');
  const name = record === undefined ? null : targetNameOf(record);
  return name === null || name.length > maxNameLength ? null : name;
}
