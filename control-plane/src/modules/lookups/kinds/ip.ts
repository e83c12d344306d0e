import { nullable } from '@vantage/shared/nullable.js';
import { type Static, Type } from 'typebox';
import type { AddressFacts } from '../../../geo/index.js';
import type { Locale } from '../../../http/locale.js';
import { memoryLookup } from './lookup.js';
import { MAX_Q, readAddress } from './read-q.js';

const text = (description: string) => nullable(Type.String(), description);

const Data = Type.Object(
  {
    ip: Type.String({ description: 'The address in canonical form.' }),
    version: Type.Union([Type.Literal(4), Type.Literal(6)]),
    network: text('CIDR of the matched record.'),
    asn: nullable(Type.Integer(), 'Number of the network that announces the address.'),
    isp: text('Provider that connects the holder of the address.'),
    org: text('Organisation that the address belongs to.'),
    country: text('ISO 3166-1 alpha-2.'),
    country_name: text('Name of the country in the language of the caller.'),
    region: text('Name of the largest subdivision, in English.'),
    province: text('ISO 3166-2.'),
    city: text('In English.'),
    latitude: nullable(Type.Number(), 'Degrees, one decimal.'),
    longitude: nullable(Type.Number(), 'Degrees, one decimal.'),
    accuracy_km: nullable(Type.Number(), 'Radius around the coordinates, in kilometres.'),
    timezone: text('IANA name.'),
    sources: Type.Array(
      Type.Object(
        { name: Type.String(), built_at: Type.String({ format: 'date-time' }) },
        { additionalProperties: false },
      ),
      { description: 'Databases that this rests on.' },
    ),
    attribution: Type.Array(Type.String(), { description: 'Lines that the licences of the databases ask for.' }),
  },
  { additionalProperties: false, title: 'IpLookup' },
);

/** Place and network of an address, as the lookup returns them. */
export type IpAnswer = Static<typeof Data>;

/** Place and network of an address by the databases of the operator. */
export const ip = memoryLookup({
  kind: 'ip',
  summary: 'Get place and network of an address',
  description:
    'Country, city and network of a public address, from the databases of the operator, which `sources` names with their dates. What they do not know is null. Without any database the operation is unavailable.',
  options: {},
  qDescription: `An IPv4 or IPv6 address, at most ${MAX_Q} characters.`,
  qExample: '192.0.2.1',
  Data,
  readQuestion({ q }, policy) {
    const host = readAddress(q, policy);
    return { text: host.address, host, options: {} };
  },
  missing: ({ directory }) =>
    directory === null
      ? 'this installation has no database of addresses: set VANTAGE_GEOIP_DIR'
      : 'this installation has no database of addresses: VANTAGE_GEOIP_DIR has no .mmdb file that can be used',
  answer({ host }, { geo, locale, attribution }) {
    if (host.kind !== 'address') return null;
    const facts = geo.describe(host.address);
    return facts === null ? null : { ip: host.address, version: host.family, ...describe(facts, locale), attribution };
  },
});

function describe({ location, network, details, cidr, sources }: AddressFacts, locale: Locale) {
  return {
    network: cidr,
    asn: network?.asn ?? null,
    isp: network?.isp ?? null,
    org: network?.provider ?? null,
    country: location?.country ?? null,
    country_name: location === null ? null : countryName(location.country, locale),
    region: details?.region ?? null,
    province: location?.province ?? null,
    city: location?.city ?? null,
    latitude: roundTenth(location?.latitude),
    longitude: roundTenth(location?.longitude),
    accuracy_km: details?.accuracyKm ?? null,
    timezone: details?.timezone ?? null,
    sources: sources.map(({ name, builtMs }) => ({ name, built_at: new Date(builtMs).toISOString() })),
  };
}

const countryNames = new Map<Locale, Intl.DisplayNames>();

/** Name of a country or region in a language; null: unknown. Making its table takes longer than all else of a lookup. */
export function countryName(country: string, locale: Locale): string | null {
  const names = countryNames.get(locale) ?? new Intl.DisplayNames([locale], { type: 'region', fallback: 'none' });
  countryNames.set(locale, names);
  return names.of(country) ?? null;
}

function roundTenth(degrees: number | null | undefined): number | null {
  return degrees === null || degrees === undefined ? null : Math.round(degrees * 10) / 10;
}
