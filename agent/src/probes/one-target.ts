import type { Host } from '@vantage/shared/target-policy/host.js';
import { type IcmpEngine, rawSocketRemedy } from '../net/icmp.js';
import type { QueryBudget } from '../net/query-budget.js';
import type { ResolvedAddress } from '../net/resolved-address.js';
import type { ResolveRequest } from '../net/resolver.js';
import { socketFailure } from '../net/socket-failure.js';
import type { ProbeContext } from './engine.js';
import { ProbeFailure } from './failure.js';

/** The one address of a host that a probe is going to measure. @throws ProbeFailure */
export async function resolveOne(
  host: Host,
  ipVersion: ResolveRequest['ipVersion'],
  context: ProbeContext & { readonly budget?: QueryBudget },
): Promise<ResolvedAddress> {
  const { policy, signal, resolver, budget } = context;
  const shared = budget === undefined ? {} : { budget };
  const { addresses } = await resolver.resolve({ host, ipVersion, policy, signal, ...shared });
  const [first] = addresses;
  if (first === undefined) throw new RangeError('the resolver returned no address');
  return first;
}

/** Engine for echo requests of any kind, or the remedy if there is none. @throws ProbeFailure `not_supported` */
export function requireEcho({ icmp }: ProbeContext): IcmpEngine {
  if (icmp !== null) return icmp;
  throw new ProbeFailure('not_supported', `${noRawSockets()}; "protocol": "tcp" does not require them`);
}

/** Raw sockets, or how to get them. @throws ProbeFailure `not_supported` */
export function requireIcmp({ icmp }: ProbeContext): IcmpEngine {
  if (icmp !== null && icmp.kind !== 'datagram') return icmp;
  throw new ProbeFailure('not_supported', noRawSockets());
}

function noRawSockets(): string {
  return `this node has no raw sockets; its operator can grant them: ${rawSocketRemedy('not_permitted')}`;
}

/** Failure that ended a measurement. Rethrows an error that is neither a failure nor the system's refusal to send. */
export function endingOf(error: unknown, target: ResolvedAddress | null): ProbeFailure {
  if (error instanceof ProbeFailure) return error;
  const failure = socketFailure(error, `cannot send to ${target?.address ?? 'the target'}`);
  if (failure === null) throw error;
  return failure;
}
