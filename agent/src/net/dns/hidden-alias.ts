import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { DnsMessage } from './message.js';
import { targetNameOf } from './record-data.js';

/**
 * True if an alias in a response leads to a name of a private network. The owner of a zone can point an alias at any
 * name and learn from the response whether it exists, so such a response is withheld from other users entirely.
 */
export function hasHiddenAlias({ answers }: Pick<DnsMessage, 'answers'>, policy: TargetPolicy): boolean {
  return answers
    .filter(({ type }) => type === 'CNAME' || type === 'DNAME')
    .map(targetNameOf)
    .some((name) => name !== null && policy.isHiddenName(name));
}
