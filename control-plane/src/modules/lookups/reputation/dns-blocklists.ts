import { MAX_ZONES, type RblLookup } from '@vantage/shared/probe-types/rbl.js';
import type { DnsListing } from './score.js';
import { isSignal, type Signal } from './signals.js';

/** A zone that is asked, with the return codes that the operator counts as signals. */
export interface DnsBlocklist {
  readonly zone: string;
  readonly signals: ReadonlyMap<string, Signal>;
}

/** A setting that cannot be read. */
export class DnsBlocklistError extends Error {
  override readonly name = 'DnsBlocklistError';
}

const zoneName = /^(?=.{1,180}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;
const loopback = /^127(?:\.(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])){3}$/;

/**
 * Reads `zone` and `zone=127.0.0.4:proxy`, separated by commas; a zone may occur again with a further code.
 * @throws DnsBlocklistError naming the item
 */
export function parseDnsBlocklists(setting: string): DnsBlocklist[] {
  const zones = new Map<string, Map<string, Signal>>();
  for (const item of setting.split(',').map((text) => text.trim())) {
    if (item === '') continue;
    const [written = '', mapping = null, ...rest] = item.split('=');
    const zone = written.trim().toLowerCase().replace(/\.$/, '');
    if (!zoneName.test(zone) || rest.length > 0) throw new DnsBlocklistError(`"${item}" is not a zone`);
    const codes = zones.get(zone) ?? new Map<string, Signal>();
    zones.set(zone, codes);
    if (mapping === null) continue;
    const [code = '', signal = '', ...others] = mapping.split(':').map((text) => text.trim());
    if (!loopback.test(code) || others.length > 0 || !isSignal(signal))
      throw new DnsBlocklistError(`"${item}" does not map a code in 127.0.0.0/8 to a signal`);
    const known = codes.get(code);
    if (known !== undefined && known !== signal) throw new DnsBlocklistError(`"${item}" maps ${code} again`);
    codes.set(code, signal);
  }
  if (zones.size > MAX_ZONES) throw new DnsBlocklistError(`has ${zones.size} zones; at most ${MAX_ZONES} are asked`);
  return [...zones].map(([zone, signals]) => ({ zone, signals }));
}

/** Rows of `blocklists`: one for each zone, with the first code; `listed` is null without a valid response. */
export function blocklistRows(
  lookups: readonly RblLookup[],
): { zone: string; listed: boolean | null; code: string | null }[] {
  return lookups.map(({ zone, listed, codes }) => ({
    zone,
    listed,
    code: listed === true ? (codes[0] ?? null) : null,
  }));
}

/** Listings that count in the score: codes that the operator mapped to a signal. */
export function listingsOf(lookups: readonly RblLookup[], blocklists: readonly DnsBlocklist[]): DnsListing[] {
  const byZone = new Map(blocklists.map(({ zone, signals }) => [zone, signals]));
  return lookups.flatMap(({ zone, listed, codes }) => {
    if (listed !== true) return [];
    return codes.flatMap((code) => {
      const signal = byZone.get(zone)?.get(code);
      return signal === undefined ? [] : [{ zone, code, signal }];
    });
  });
}
