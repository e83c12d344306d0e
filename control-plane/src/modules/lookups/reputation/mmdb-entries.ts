import { formatAddress, type IpAddress } from '@vantage/shared/target-policy/address.js';
import type { Entries } from './score.js';
import type { ListSignal } from './signals.js';

/** A database of ranges, as its reader has it. */
export interface RangeDatabase {
  /** Record of an address in canonical text, with the length of its prefix; null if it has none. */
  find(address: string): { readonly record: object; readonly prefixLength: number } | null;
}

/** Members of records that state a signal: GeoIP2 Anonymous IP, and IPinfo's privacy database. */
const flags: Readonly<Record<ListSignal, readonly string[]>> = {
  tor_exit: ['is_tor_exit_node', 'tor'],
  vpn: ['is_anonymous_vpn', 'vpn'],
  proxy: ['is_public_proxy', 'is_residential_proxy', 'proxy'],
  hosting: ['is_hosting_provider', 'hosting'],
  abuse_asn: [],
  residential: [],
};
const allFlags = Object.values(flags).flat();

/** Entries of a database of ranges for a signal. A record without any known flag is an entry by its presence. */
export function mmdbEntries(database: RangeDatabase, signal: ListSignal): Entries {
  return {
    find(address: IpAddress): string | null {
      const text = formatAddress(address);
      const found = database.find(text);
      return found !== null && states(found.record, signal) ? prefixOf(address, found.prefixLength) : null;
    },
  };
}

export function states(record: object, signal: ListSignal): boolean {
  if (!allFlags.some((flag) => Object.hasOwn(record, flag))) return true;
  return flags[signal].some((flag) => isTrue(Reflect.get(record, flag)));
}

/** IPinfo writes flags as texts. */
function isTrue(value: unknown): boolean {
  return value === true || value === 'true' || value === 1;
}

function prefixOf({ family, value }: IpAddress, bits: number): string {
  const shift = BigInt((family === 4 ? 32 : 128) - bits);
  return `${formatAddress({ family, value: (value >> shift) << shift })}/${bits}`;
}
