import { formatAddress, type IpAddress } from '@vantage/shared/target-policy/address.js';
import { nodeRun, type Question } from '../kinds/lookup.js';
import { hostText } from '../kinds/read-q.js';
import { thirdPartyFailed } from '../kinds/third-party.js';

const HOUR_MS = 3_600_000;

/** Listings of an address in DNS blocklists: part of a reputation, without an operation of its own. */
export const dnsbl = nodeRun({
  kind: 'dnsbl',
  version: 1,
  deadlineMs: 10_000,
  staleMs: 6 * HOUR_MS,
  measures: 'rbl',
  specOf: ({ host, options }) => ({
    target: hostText(host),
    params: { zones: options['zones'] as string[], timeout_ms: 8_000 },
  }),
  judge({ error, lookups }) {
    if (error !== null) return thirdPartyFailed(error.message);
    return { isFailure: false, data: { lookups }, freshMs: HOUR_MS };
  },
});

/** Question about an address, asked of these zones. */
export function dnsblQuestion(address: IpAddress, zones: readonly string[]): Question {
  const text = formatAddress(address);
  return {
    text: `${text} zones=${zones.join(',')}`,
    host: { kind: 'address', address: text, family: address.family },
    options: { zones: [...zones] },
  };
}
