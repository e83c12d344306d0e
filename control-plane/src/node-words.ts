import { isCountry, isProvince, parseRegion } from '@vantage/shared/places/places.js';
import type { NodeSelection } from './modules/nodes/index.js';

/**
 * `--from DE,AS3320` as a selection: a country code, `AS` and a number, an ISO 3166-2 code, a UN M49 region,
 * `tag:NAME`, a node id, else a city. Different kinds narrow each other, values of one kind widen it.
 */
export function parseFrom(text: string): NodeSelection {
  const fields = new Map<keyof NodeSelection, Set<string | number>>();
  const parts = text.split(',').map((part) => part.trim());
  for (const part of parts.filter((part) => part !== '')) {
    const [field, value] = parsePart(part);
    fields.set(field, (fields.get(field) ?? new Set()).add(value));
  }
  return Object.fromEntries([...fields].map(([field, values]) => [field, [...values]]));
}

function parsePart(part: string): [keyof NodeSelection, string | number] {
  const upper = part.toUpperCase();
  const region = parseRegion(part);
  if (/^AS\d{1,10}$/.test(upper)) return ['asns', Number(upper.slice(2))];
  if (part.startsWith('n_')) return ['node_ids', part];
  if (upper.startsWith('TAG:')) return ['tags', part.slice(4).toLowerCase()];
  if (isCountry(upper)) return ['countries', upper];
  if (isProvince(upper)) return ['provinces', upper];
  if (region !== null) return ['regions', region];
  return ['cities', part];
}
