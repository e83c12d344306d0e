import type { Static } from 'typebox';
import type { nodeSchemas } from '../modules/nodes/index.js';
import { parseFrom } from '../node-words.js';

export type NodeRecord = Static<typeof nodeSchemas.node>;

/** Fields of a node that a word of `--from` is compared with. */
type Placed = Pick<NodeRecord, 'id' | 'status' | 'country' | 'region' | 'city' | 'asn'>;

/**
 * Reason why the words of `--from` match no node that is online, word by word. Example:
 * `no node in CN; "DE" matches 2 nodes, none of them online`. Words that cannot be compared with the list are left out.
 */
export function unmatchedPlaces(from: string, nodes: readonly Placed[]): string {
  const words = from.split(',').map((word) => word.trim());
  const texts = words.flatMap((word) => {
    const matches = matcherOf(word);
    if (word === '' || matches === null) return [];
    const found = nodes.filter(matches);
    const online = found.filter(({ status }) => status === 'online').length;
    if (found.length === 0) return [`no node in ${word}`];
    return online === 0
      ? [`"${word}" matches ${count(found.length)}, none of them online`]
      : [`"${word}" matches ${count(online)}`];
  });
  return [...texts, '`vantage nodes` lists them'].join('; ');
}

function count(nodes: number): string {
  return nodes === 1 ? '1 node' : `${nodes} nodes`;
}

function matcherOf(word: string): ((node: Placed) => boolean) | null {
  const { countries, asns, regions, cities, node_ids: ids } = parseFrom(word);
  if (countries !== undefined) return ({ country }) => country !== null && countries.includes(country);
  if (asns !== undefined) return ({ asn }) => asn !== null && asns.includes(asn);
  if (regions !== undefined) return ({ region }) => region !== null && regions.includes(region);
  if (ids !== undefined) return ({ id }) => ids.includes(id);
  if (cities === undefined) return null;
  return ({ city }) => city !== null && cities.some((name) => name.toLowerCase() === city.toLowerCase());
}
