import { countriesIn, findArea, isProvince } from '@vantage/shared/places/places.js';
import type { NodeSelection } from './modules/nodes/index.js';

type Field = 'asns' | 'node_ids' | 'tags' | 'provinces' | 'countries' | 'regions' | 'cities';

/**
 * `--from Germany,AS3320` as a selection: a country, region or continent by its code or name, `world`, `AS` and a number, an
 * ISO 3166-2 code, `tag:NAME`, a node id, else a city. Different kinds narrow each other, values of one kind widen it; countries,
 * regions and continents are one kind.
 */
export function parseFrom(text: string): NodeSelection {
  const fields = new Map<Field, Set<string | number>>();
  for (const part of fromWords(text)) {
    for (const [field, values] of Object.entries(parsePart(part)) as [Field, readonly (string | number)[]][])
      fields.set(field, new Set([...(fields.get(field) ?? []), ...values]));
  }
  const [countries, regions] = [fields.get('countries'), fields.get('regions')];
  if (countries !== undefined && regions !== undefined) {
    for (const country of countriesIn([...regions].map(String))) countries.add(country);
    fields.delete('regions');
  }
  return Object.fromEntries([...fields].map(([field, values]) => [field, [...values]]));
}

/** Words of `--from`, which commas separate. */
export function fromWords(text: string): string[] {
  const words = text.split(/[,，、]/).map((word) => word.trim());
  return words.filter((word) => word !== '');
}

function parsePart(part: string): Partial<Record<Field, readonly (string | number)[]>> {
  const upper = part.toUpperCase();
  if (/^AS\d{1,10}$/.test(upper)) return { asns: [Number(upper.slice(2))] };
  if (part.startsWith('n_')) return { node_ids: [part] };
  if (upper.startsWith('TAG:')) return { tags: [part.slice(4).toLowerCase()] };
  if (isProvince(upper)) return { provinces: [upper] };
  return findArea(part) ?? { cities: [part] };
}
