import { isCountry, isProvince } from '@vantage/shared/places/places.js';

// Two forms of records are supported, and a file may have fields of both:
//
//   nested (MaxMind, DB-IP,   {country: {iso_code}, subdivisions: [{iso_code, names: {en}}], city: {names: {en}},
//   IP2Location: no iso_code   location: {latitude, longitude, accuracy_radius, time_zone}, autonomous_system_number,
//   of subdivisions)           autonomous_system_organization, isp, organization}, the last four also under `traits`
//   flat (IPinfo)             {country | country_code, city, lat | latitude, lng | longitude, asn: "AS123",
//                              as_name | name}

/** Where an address is, as far as a database knows. */
export interface Location {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** ISO 3166-2. */
  readonly province: string | null;
  /** In English. */
  readonly city: string | null;
  /** Degrees. */
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/** Network that an address is in. */
export interface Network {
  readonly asn: number;
  /** Provider that connects the holder of the address to the Internet. */
  readonly isp: string | null;
  /** Organization that the address belongs to. */
  readonly provider: string | null;
}

/** Further facts of a record, for people who look an address up. */
export interface RecordDetails {
  /** Name of the largest subdivision, in English. */
  readonly region: string | null;
  /** Radius around the coordinates, in kilometres. */
  readonly accuracyKm: number | null;
  /** IANA name. */
  readonly timezone: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** The place in a record; null when it names no country of ISO 3166-1. */
export function readLocation(record: unknown): Location | null {
  const fields = fieldsOf(record);
  const country = [
    textOf(fieldsOf(fields['country'])['iso_code']),
    textOf(fields['country_code']),
    textOf(fields['country']),
  ]
    .map((code) => code?.toUpperCase() ?? '')
    .find(isCountry);
  if (country === undefined) return null;
  const position = { ...fields, ...fieldsOf(fields['location']) };
  const latitude = degrees(position['latitude'] ?? position['lat'], 90);
  const longitude = degrees(position['longitude'] ?? position['lng'], 180);
  const isComplete = latitude !== null && longitude !== null;
  return {
    country,
    province: provinceOf(country, fields['subdivisions']),
    city: textOf(fieldsOf(fieldsOf(fields['city'])['names'])['en']) ?? textOf(fields['city']),
    latitude: isComplete ? latitude : null,
    longitude: isComplete ? longitude : null,
  };
}

/** Further facts of a record. */
export function readDetails(record: unknown): RecordDetails {
  const fields = fieldsOf(record);
  const position = fieldsOf(fields['location']);
  const [subdivision] = Array.isArray(fields['subdivisions']) ? fields['subdivisions'] : [];
  const accuracy = position['accuracy_radius'];
  return {
    region: textOf(fieldsOf(fieldsOf(subdivision)['names'])['en']) ?? textOf(fields['region']),
    accuracyKm: typeof accuracy === 'number' && accuracy > 0 ? accuracy : null,
    timezone: zoneOf(position['time_zone']) ?? zoneOf(fields['timezone']),
  };
}

/** The network in a record; null when it has no number. */
export function readNetwork(record: unknown): Network | null {
  const top = fieldsOf(record);
  const fields = { ...fieldsOf(top['traits']), ...top };
  const asn = asnOf(fields['autonomous_system_number'] ?? fields['asn']);
  if (asn === null) return null;
  const name = textOf(fields['autonomous_system_organization']) ?? textOf(fields['as_name']) ?? textOf(fields['name']);
  const isp = textOf(fields['isp']) ?? name;
  return { asn, isp, provider: textOf(fields['organization']) ?? isp };
}

/** The largest subdivision that ISO 3166-2 has. */
function provinceOf(country: string, subdivisions: unknown): string | null {
  const codes = Array.isArray(subdivisions) ? subdivisions.map((part) => textOf(fieldsOf(part)['iso_code'])) : [];
  return codes.map((code) => `${country}-${code}`).find(isProvince) ?? null;
}

function asnOf(value: unknown): number | null {
  const asn = typeof value === 'string' ? Number(/^(?:AS)?(\d{1,10})$/i.exec(value)?.[1]) : value;
  return typeof asn === 'number' && Number.isInteger(asn) && asn > 0 && asn <= 0xffff_ffff ? asn : null;
}

function degrees(value: unknown, most: number): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Math.abs(number) <= most ? number : null;
}

/** An IANA name; some vendors have the distance from UTC instead (`+08:00`), which changes with the season. */
function zoneOf(value: unknown): string | null {
  const text = textOf(value);
  return text !== null && /^(?:[A-Za-z_]+\/[\w+/-]+|UTC)$/.test(text) ? text : null;
}

const MAX_TEXT = 128;

function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value.trim();
  // a dash is what IP2Location writes for an unknown value
  return text === '' || text === '-' ? null : text.slice(0, MAX_TEXT);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
