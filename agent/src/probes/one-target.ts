import type { Host } from '@vantage/shared/target-policy/host.js';
import { type IcmpEngine, rawSocketRemedy } from '../net/icmp.js';
import type { QueryBudget } from '../net/query-budget.js';
import type { ResolvedAddress, ResolveRequest } from '../net/resolver.js';
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
  if (first === undefined) throw new RangeError('the resolver answered without an address');
  return first;
}

/** Echo requests by whatever means, or how to get them. @throws ProbeFailure `not_supported` */
export function requireEcho({ icmp }: ProbeContext): IcmpEngine {
  if (icmp !== null) return icmp;
  throw new ProbeFailure('not_supported', `${noRawSockets()}; "protocol": "tcp" measures without`);
}

/** Raw sockets, or how to get them. @throws ProbeFailure `not_supported` */
export function requireIcmp({ icmp }: ProbeContext): IcmpEngine {
  if (icmp !== null && icmp.kind !== 'datagram') return icmp;
  throw new ProbeFailure('not_supported', noRawSockets());
}

function noRawSockets(): string {
  return `this node has no raw sockets; its operator can grant them: ${rawSocketRemedy('not_permitted')}`;
}

/** What ended a measurement, as a failure. Rethrows what is neither a failure nor the system's refusal to send. */
export function endingOf(error: unknown, target: ResolvedAddress | null): ProbeFailure {
  if (error instanceof ProbeFailure) return error;
  const failure = socketFailure(error, `cannot send to ${target?.address ?? 'the target'}`);
  if (failure === null) throw error;
  return failure;
}
