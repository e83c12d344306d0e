import { parseFrom } from '../node-words.js';
import { type ApiClient, ApiRefusal } from './api-client.js';
import { listNodes, type NodeRecord } from './list-nodes.js';

/** Fields of a node that a word of `--from` is compared with. */
type Placed = Pick<NodeRecord, 'id' | 'status' | 'country' | 'province' | 'region' | 'city' | 'asn' | 'tags'>;

/**
 * Reason why the words of `--from` match no node that is online, word by word. Example:
 * `no node in CN; "DE" matches 2 nodes, none of them online`. Words that
 * each match a node that is online narrow each other down to none.
 */
export function unmatchedPlaces(from: string, nodes: readonly Placed[]): string {
  const words = from.split(',').map((word) => word.trim());
  const texts = words.flatMap((word) => {
    if (word === '') return [];
    const found = nodes.filter(matcherOf(word));
    const online = found.filter(({ status }) => status === 'online').length;
    if (found.length === 0) return [noneText(word)];
    return online === 0
      ? [`"${word}" matches ${count(found.length)}, none of them online`]
      : [`"${word}" matches ${count(online)}`];
  });
  return [...texts, '`vantage nodes` lists them'].join('; ');
}

function count(nodes: number): string {
  return nodes === 1 ? '1 node' : `${nodes} nodes`;
}

/** `no node in CN`, `no node has the tag ssd`, `no node is n_x`. */
function noneText(word: string): string {
  const { tags, node_ids: ids } = parseFrom(word);
  if (tags !== undefined) return `no node has the tag ${tags.join()}`;
  return ids === undefined ? `no node in ${word}` : `no node is ${word}`;
}

function matcherOf(word: string): (node: Placed) => boolean {
  const { countries, asns, provinces, regions, cities = [], tags, node_ids: ids } = parseFrom(word);
  if (countries !== undefined) return ({ country }) => country !== null && countries.includes(country);
  if (asns !== undefined) return ({ asn }) => asn !== null && asns.includes(asn);
  if (provinces !== undefined) return ({ province }) => province !== null && provinces.includes(province);
  if (tags !== undefined) return (node) => node.tags.some((tag) => tags.includes(tag.toLowerCase()));
  if (regions !== undefined) return ({ region }) => region !== null && regions.includes(region);
  if (ids !== undefined) return ({ id }) => ids.includes(id);
  return ({ city }) => city !== null && cities.some((name) => name.toLowerCase() === city.toLowerCase());
}

/**
 * A refusal of a selection of nodes says which word of `--from` matches which nodes, or that it is about all nodes where there is no such
 * option; any other error stays as it is.
 */
export async function withPlaces(refusal: unknown, client: ApiClient, from: string | undefined): Promise<unknown> {
  if (!(refusal instanceof ApiRefusal) || refusal.details['nodes'] === undefined) return refusal;
  const { status, code, message, details, allowance } = refusal;
  if (from === undefined) {
    const { nodes, ...others } = details;
    return new ApiRefusal(status, code, message, { ...others, ...(nodes && { 'available nodes': nodes }) }, allowance);
  }
  const text = unmatchedPlaces(from, await listNodes(client));
  return new ApiRefusal(
    status,
    code,
    message,
    { ...details, nodes: [...refusal.details['nodes'], { message: text }] },
    allowance,
  );
}
