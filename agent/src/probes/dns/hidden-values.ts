import { HIDDEN_VALUE } from '@vantage/shared/probe-types/dns-hidden.js';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';

type Record = ProbeResults['dns']['records'][number];

/** Types whose data are texts of the zone's owner: nothing in them is an address or a name to the resolver. */
const textTypes: ReadonlySet<string> = new Set(['TXT', 'SPF', 'HINFO', 'CAA', 'URI']);

/**
 * A record of the node's own resolver as strangers may see it: without addresses and names of private networks. What the
 * operator opened is shown. `asked` is the name that was asked for.
 */
export function hidePrivate(record: Record, asked: string, policy: TargetPolicy): Record {
  if (policy.isHiddenName(record.name))
    return { ...record, name: record.name === asked ? asked : HIDDEN_VALUE, value: HIDDEN_VALUE };
  return textTypes.has(record.type) ? record : { ...record, value: withoutPrivate(record.value, policy) };
}

/** Data in presentation format: each field is judged by itself, hints of a service (RFC 9460) hide only themselves. */
function withoutPrivate(value: string, policy: TargetPolicy): string {
  const fields = value.split(' ');
  const isHidden = fields.some((field) => !field.includes('=') && isPrivate(field, policy));
  return isHidden ? HIDDEN_VALUE : fields.map((field) => withoutHint(field, policy)).join(' ');
}

function withoutHint(field: string, policy: TargetPolicy): string {
  const [, key = '', list = ''] = /^(ipv[46]hint)=(.*)$/.exec(field) ?? [];
  return list.split(',').some((address) => isPrivate(address, policy)) ? `${key}=${HIDDEN_VALUE}` : field;
}

/**
 * True if a field is an address or a name of a private network. Names have their final dot. Bytes of unknown meaning
 * (RFC 3597) may be anything. A prefix (APL, RFC 3123) is preceded by its family.
 */
function isPrivate(field: string, policy: TargetPolicy): boolean {
  // an address with a final dot has the form of a name, but still reveals the address
  if (field.endsWith('.')) return policy.isHiddenName(field) || policy.isHiddenAddress(field.slice(0, -1));
  const [, prefix = field] = /^!?[12]:([^/]+)\/\d+$/.exec(field) ?? [];
  return field === '\\#' || policy.isHiddenAddress(prefix);
}
