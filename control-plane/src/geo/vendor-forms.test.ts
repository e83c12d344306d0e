import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { missing } from '@vantage/shared/_support/missing.js';
import { Reader } from 'maxmind';
import t from 'tap';
import {
  encodeMmdb,
  float,
  type MmdbContent,
  type MmdbValue,
  plainValue,
  uint16,
  uint32,
} from '../../test/_support/mmdb-writer.js';
import { mmdblookup } from '../../test/_support/mmdblookup.js';
import { GeoDatabase } from './geo-database.js';
import type { Location, Network, RecordDetails } from './place-record.js';

/** A record as a vendor writes it, and what is read from it. */
interface Form {
  readonly type: string;
  readonly network?: string;
  readonly ipVersion?: 4 | 6;
  readonly recordSize?: MmdbContent['recordSize'];
  readonly record: MmdbValue;
  readonly location?: Location;
  readonly isp?: Network;
  readonly details?: Partial<RecordDetails>;
}

const GB: Location = { country: 'GB', province: null, city: null, latitude: null, longitude: null };
const London: Location = { country: 'GB', province: 'GB-ENG', city: 'London', latitude: 51.5142, longitude: -0.0931 };
const names = (en: string) => ({ de: `${en} (de)`, en, 'zh-CN': `${en} (中文)` });
const uk = { geoname_id: uint32(2_635_167), iso_code: 'GB', names: names('United Kingdom') };
const europe = { code: 'EU', geoname_id: uint32(6_255_148), names: names('Europe') };
const maxmindCity = {
  city: { geoname_id: uint32(2_643_743), names: names('London') },
  continent: europe,
  country: uk,
  location: {
    accuracy_radius: uint16(100),
    latitude: 51.5142,
    longitude: -0.0931,
    time_zone: 'Europe/London',
  },
  postal: { code: 'OX1' },
  registered_country: { ...uk, is_in_european_union: false },
  subdivisions: [{ geoname_id: uint32(6_269_131), iso_code: 'ENG', names: names('England') }],
};
const london = { region: 'England', accuracyKm: 100, timezone: 'Europe/London' };
const andrews: Network = { asn: 20_712, isp: 'Andrews & Arnold Ltd', provider: 'Andrews & Arnold Ltd' };
const andrewsFields = {
  autonomous_system_number: uint32(20_712),
  autonomous_system_organization: 'Andrews & Arnold Ltd',
};

/** Records in the form of each vendor: names, nesting and types of members as in its files. */
const forms: Readonly<Record<string, Form>> = {
  'MaxMind GeoLite2 City': { type: 'GeoLite2-City', record: maxmindCity, location: London, details: london },
  'MaxMind GeoIP2 City in a tree of 32 bits': {
    type: 'GeoIP2-City',
    recordSize: 32,
    record: maxmindCity,
    location: London,
    details: london,
  },
  'MaxMind GeoLite2 Country': {
    type: 'GeoLite2-Country',
    recordSize: 24,
    record: { continent: europe, country: uk, registered_country: uk },
    location: GB,
  },
  'MaxMind GeoLite2 ASN': { type: 'GeoLite2-ASN', recordSize: 24, record: andrewsFields, isp: andrews },
  'MaxMind GeoIP2 ISP': {
    type: 'GeoIP2-ISP',
    record: { ...andrewsFields, isp: 'A&A', organization: 'STONEHOUSE office' },
    isp: { asn: 20_712, isp: 'A&A', provider: 'STONEHOUSE office' },
  },
  'MaxMind GeoIP2 Enterprise': {
    type: 'GeoIP2-Enterprise',
    record: {
      ...maxmindCity,
      traits: { ...andrewsFields, isp: 'A&A', organization: 'STONEHOUSE office', is_legitimate_proxy: true },
    },
    location: London,
    isp: { asn: 20_712, isp: 'A&A', provider: 'STONEHOUSE office' },
    details: london,
  },
  'MaxMind over IPv6': {
    type: 'GeoLite2-City',
    network: '2001:218::/32',
    record: { country: { iso_code: 'JP' }, location: { latitude: 35.685, longitude: 139.7514 } },
    location: { country: 'JP', province: null, city: null, latitude: 35.685, longitude: 139.7514 },
  },
  'DB-IP City Lite': {
    type: 'DBIP-City-Lite',
    record: {
      city: { names: { en: 'London (City of London)' } },
      continent: europe,
      country: { ...uk, is_in_european_union: false },
      location: { latitude: float(51.5), longitude: float(-0.125) },
      subdivisions: [{ names: { en: 'England' } }],
    },
    location: { country: 'GB', province: null, city: 'London (City of London)', latitude: 51.5, longitude: -0.125 },
    details: { region: 'England' },
  },
  'DB-IP Country Lite': { type: 'DBIP-Country-Lite', record: { continent: europe, country: uk }, location: GB },
  'DB-IP ASN Lite': {
    type: 'DBIP-ASN-Lite (compat=GeoLite2-ASN)',
    recordSize: 24,
    record: andrewsFields,
    isp: andrews,
  },
  'IP2Location LITE': {
    type: 'IP2LITE-City',
    recordSize: 32,
    record: {
      city: { names: { en: 'London' } },
      country: { iso_code: 'GB', names: { en: 'United Kingdom of Great Britain and Northern Ireland' } },
      location: { latitude: 51.508_53, longitude: -0.125_74 },
      postal: { code: 'WC2N' },
      subdivisions: [{ names: { en: 'England' } }],
    },
    location: { country: 'GB', province: null, city: 'London', latitude: 51.508_53, longitude: -0.125_74 },
    details: { region: 'England' },
  },
  'IPinfo location, all texts': {
    type: 'ipinfo standard_location.mmdb',
    record: {
      city: 'London',
      country: 'GB',
      lat: '51.50853',
      lng: '-0.12574',
      postal_code: 'EC1A',
      region: 'England',
      timezone: 'Europe/London',
    },
    location: { country: 'GB', province: null, city: 'London', latitude: 51.508_53, longitude: -0.125_74 },
    details: { region: 'England', timezone: 'Europe/London' },
  },
  'IPinfo Lite': {
    type: 'ipinfo ipinfo_lite.mmdb',
    record: {
      as_domain: 'aa.net.uk',
      as_name: 'Andrews & Arnold Ltd',
      asn: 'AS20712',
      continent: 'Europe',
      continent_code: 'EU',
      country: 'United Kingdom',
      country_code: 'GB',
    },
    location: GB,
    isp: andrews,
  },
  'IPinfo ASN': {
    type: 'ipinfo generic_asn_free.mmdb',
    record: { asn: 'AS20712', domain: 'aa.net.uk', name: 'Andrews & Arnold Ltd' },
    isp: andrews,
  },
  'ip-location-db, countries, IPv4 alone': {
    type: 'country ipv4',
    ipVersion: 4,
    recordSize: 24,
    record: { country_code: 'GB' },
    location: GB,
  },
};

const NETWORK = '81.2.69.0/24';
const noLookup = missing('mmdblookup');

for (const [name, form] of Object.entries(forms)) {
  const { type, network = NETWORK, ipVersion = 6, recordSize = 28, record } = form;
  const address = network.replace(/\/\d+$/, '').replace(/\.0$/, '.142');
  const makeFile = (directory: string) => {
    const file = path.join(directory, 'some.mmdb');
    writeFileSync(file, encodeMmdb({ type, ipVersion, recordSize, records: { [network]: record } }));
    return file;
  };

  t.test(`a record in the form of ${name} is read, with its network`, async (t) => {
    const database = await GeoDatabase.open(makeFile(t.testdir({})));
    t.equal(database.type, type);
    const { location = null, isp = null, details = {} } = form;
    const unknown = { region: null, accuracyKm: null, timezone: null };
    t.strictSame(database.find(address), {
      location,
      network: isp,
      details: { ...unknown, ...details },
      cidr: network,
    });
    t.equal(database.find(ipVersion === 4 ? '2001:db8::1' : '8.8.8.8'), null, 'another address');
  });

  t.test(`other readers find the same record in the form of ${name}`, { skip: noLookup }, async (t) => {
    const file = makeFile(t.testdir({}));
    const found = await mmdblookup(file, address);
    t.strictSame(found?.record, sixDigits(plainValue(record)), 'mmdblookup');
    const database = new Reader<object>(encodeMmdb({ type, ipVersion, recordSize, records: { [network]: record } }));
    t.strictSame(database.get(address), plainValue(record), 'maxmind');
    const bits = Number(network.split('/')[1]) + (ipVersion === 6 && !network.includes(':') ? 96 : 0);
    t.equal(found?.prefixLength, bits, 'the length of the prefix in the tree');
    t.equal(await mmdblookup(file, ipVersion === 4 ? '9.9.9.9' : '8.8.8.8'), null, 'another address');
  });
}

/** Fractions as mmdblookup prints them. */
function sixDigits(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toFixed(6));
  if (Array.isArray(value)) return value.map(sixDigits);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sixDigits(member)]));
}
