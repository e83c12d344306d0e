import t from 'tap';
import {
  countryName,
  findArea,
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

t.test('a country, region or continent is found by its code and its names', async (t) => {
  for (const [country, ...names] of [
    ['DE', 'de', 'DEU', 'Germany', 'germany', '德国', '德國'],
    ['US', 'USA', 'US', 'United States', 'United States of America', '美国'],
    ['GB', 'UK', 'United Kingdom', '英国'],
    ['CI', 'Cote d’Ivoire', "Côte d'Ivoire", '象牙海岸'],
    ['TT', 'Trinidad & Tobago', 'trinidad and tobago'],
    ['TW', 'Taiwan', '台湾', '台灣'],
    ['HK', 'Hong Kong', '香港'],
  ] as const)
    for (const name of [country, ...names]) t.strictSame(findArea(name), { countries: [country] }, name);
  for (const name of ['Europe', 'EU', '欧洲', '歐洲'])
    t.strictSame(
      new Set(findArea(name)?.regions),
      new Set(['Eastern Europe', 'Northern Europe', 'Southern Europe', 'Western Europe']),
      name,
    );
  t.strictSame(findArea('western europe'), { regions: ['Western Europe'] });
  t.match(findArea('South America')?.countries, ['AR']);
  for (const [name, has, lacks] of [
    ['South America', 'BR', 'MX'],
    ['North America', 'MX', 'BR'],
  ] as const) {
    const { countries = [] } = findArea(name) ?? {};
    t.strictSame([countries.includes(has), countries.includes(lacks)], [true, false], name);
  }
  for (const name of ['world', '世界']) t.strictSame(findArea(name), {}, name);
  for (const name of ['', 'Atlantis', 'Berlin', 'constructor', '150']) t.equal(findArea(name), null, name);
});
