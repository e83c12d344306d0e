import type { Host } from '@vantage/shared/target-policy/host.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { refused } from '@vantage/shared/target-policy/target-error.js';

/** One address of a name. */
export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Returns all addresses of a name, until the signal is aborted. @throws if it has none, or no server replies */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly Address[]>;

/**
 * Returns the addresses that an exchange may connect to: the only resolution of its host, each address checked. If one
 * is refused, all are; without TLS, all must be in the ranges that the operator allows. Without a policy, none is
 * refused.
 * @throws TargetError; or the error of `resolve`, which gets the name of the host
 */
export async function pinnedAddresses(
  host: Host,
  {
    policy,
    resolve,
    isEncrypted,
  }: {
    policy: TargetPolicy | null;
    resolve: (name: string) => Promise<readonly Address[]>;
    isEncrypted: boolean;
  },
): Promise<readonly Address[]> {
  policy?.checkHost(host, 'url');
  const addresses = host.kind === 'address' ? [host] : await resolve(host.name);
  if (policy !== null) checkAll(host, addresses, { policy, isEncrypted });
  return addresses.map(({ address, family }) => ({ address, family }));
}

function checkAll(
  host: Host,
  addresses: readonly Pick<Address, 'address'>[],
  { policy, isEncrypted }: { policy: TargetPolicy; isEncrypted: boolean },
): void {
  for (const { address } of addresses) {
    if (host.kind === 'name') checkResolved(address, policy);
    if (!isEncrypted && !policy.isExempt(address)) throw refused('url', 'must be an https URL');
  }
}

/**
 * Checks that the target policy allows an address. The error does not name it: the author of a name must not learn
 * which address it resolves to here.
 */
function checkResolved(address: string, policy: TargetPolicy): void {
  try {
    policy.checkAddress(address, 'url');
  } catch {
    throw refused('url', 'the name resolves to an address that is not allowed');
  }
}
