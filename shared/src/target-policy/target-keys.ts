import { formatAddress, parseAddress } from './address.js';
import type { Host } from './host.js';
import { registrableDomain } from './registrable-domain.js';

/**
 * Keys under which the work aimed at a host is counted, over all nodes: the registrable domain of a name; of an
 * address itself and its /24 or /48. Domains under a private suffix (duckdns.org) count as one, because an
 * attacker can have any number of them.
 */
export function targetKeys(host: Host): string[] {
  if (host.kind === 'name') return [`domain:${registrableDomain(host.name)}`];
  return [`address:${host.address}`, `network:${networkOf(host.address)}`];
}

function networkOf(text: string): string {
  const address = parseAddress(text);
  if (address === null) throw new RangeError(`"${text}" is not an address`);
  const { family, value } = address;
  const [hostBits, prefix] = family === 4 ? [8n, 24] : [80n, 48];
  return `${formatAddress({ family, value: (value >> hostBits) << hostBits })}/${prefix}`;
}
