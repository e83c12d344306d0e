import t from 'tap';
import {
  countryName,
  isCountry,
  isProvince,
  isRegion,
  parseRegion,
  provinceCountry,
  regionNames,
  regionOf,
} from './places.js';

t.test('countries are the assigned codes of ISO 3166-1', async (t) => {
  for (const code of ['DE', 'US', 'CN', 'TW', 'HK', 'GB', 'AQ', 'SS', 'AX']) t.equal(isCountry(code), true, code);
  for (const code of ['', 'de', 'DEU', 'UK', 'EU', 'XK', 'ZZ', 'AA', 'SU', 'D', 'constructor', '__proto__']) {
    t.equal(isCountry(code), false, code);
    t.equal(countryName(code), null, code);
    t.equal(regionOf(code), null, code);
  }
  t.equal(countryName('DE'), 'Germany');
  t.equal(countryName('FR'), 'France');
});

t.test('a region is the UN M49 subregion of the country', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['DE', 'Western Europe'],
    ['FR', 'Western Europe'],
    ['GB', 'Northern Europe'],
    ['PL', 'Eastern Europe'],
    ['IT', 'Southern Europe'],
    ['US', 'Northern America'],
    ['BR', 'Latin America and the Caribbean'],
    ['MX', 'Latin America and the Caribbean'],
    ['NG', 'Sub-Saharan Africa'],
    ['EG', 'Northern Africa'],
    ['CN', 'Eastern Asia'],
    ['HK', 'Eastern Asia'],
    ['JP', 'Eastern Asia'],
    ['TW', 'Eastern Asia'],
    ['SG', 'South-eastern Asia'],
    ['IN', 'Southern Asia'],
    ['TR', 'Western Asia'],
    ['KZ', 'Central Asia'],
    ['AU', 'Australia and New Zealand'],
    ['FJ', 'Melanesia'],
  ];
  for (const [country, region] of cases) t.equal(regionOf(country), region, country);
});

t.test('every country has a region but Antarctica', async (t) => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const countries = letters.flatMap((a) => letters.map((b) => a + b)).filter(isCountry);
  t.equal(countries.length, 249);
  t.same(
    countries.filter((code) => regionOf(code) === null),
    ['AQ'],
  );
  t.same(
    countries.filter((code) => (countryName(code) ?? '') === ''),
    [],
  );
});

t.test('regions are read in any case and come out as they are written', async (t) => {
  t.equal(regionNames.length, 17);
  for (const name of regionNames) {
    t.equal(parseRegion(name.toUpperCase()), name);
    t.equal(parseRegion(name.toLowerCase()), name);
    t.equal(isRegion(name), true);
  }
  for (const name of ['', 'Europe', 'World', 'Atlantis', 'Western  Europe', ' Western Europe', '155', '__proto__']) {
    t.equal(parseRegion(name), null, name);
    t.equal(isRegion(name), false, name);
  }
});

t.test('provinces are ISO 3166-2 codes, each of one country', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['DE-BY', 'DE'],
    ['US-CA', 'US'],
    ['CN-BJ', 'CN'],
    ['FR-IDF', 'FR'],
    ['FR-75C', 'FR'],
    ['AT-9', 'AT'],
    ['TW-TPE', 'TW'],
    ['GB-ENG', 'GB'],
  ];
  for (const [code, country] of cases) {
    t.equal(isProvince(code), true, code);
    t.equal(provinceCountry(code), country, code);
  }
  for (const code of ['', 'DE', 'DE-', 'DE-XX', 'de-by', 'DEBY', 'DE-BY ', 'XX-BY', '__proto__']) {
    t.equal(isProvince(code), false, code);
    t.equal(provinceCountry(code), null, code);
  }
});
