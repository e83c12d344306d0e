import { isCountry, isProvince, parseRegion } from '@vantage/shared/places/places.js';
import type { NodeSelection } from '../modules/nodes/index.js';

/**
 * `--from DE,AS3320` as a selection: a country code, `AS` and a number, an ISO 3166-2 code, a UN M49 region,
 * `tag:NAME`, a node id, else a city. Different kinds narrow each other, values of one kind widen it.
 */
export function parseFrom(text: string): NodeSelection {
  const selection: Record<string, (string | number)[]> = {};
  const add = (field: keyof NodeSelection, value: string | number) =>
    (selection[field] = [...(selection[field] ?? []), value]);
  for (const part of text
    .split(',')
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')) {
    const upper = part.toUpperCase();
    const region = parseRegion(part);
    if (/^AS\d{1,10}$/.test(upper)) add('asns', Number(upper.slice(2)));
    else if (part.startsWith('n_')) add('node_ids', part);
    else if (/^tag:/i.test(part)) add('tags', part.slice(4));
    else if (isCountry(upper)) add('countries', upper);
    else if (isProvince(upper)) add('provinces', upper);
    else if (region !== null) add('regions', region);
    else add('cities', part);
  }
  return selection as NodeSelection;
}
