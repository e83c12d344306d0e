import { nearestOf } from '@vantage/shared/nearest.js';
import { areaNames } from '@vantage/shared/places/places.js';
import { fromWords, parseFrom } from '../node-words.js';
import { type ApiClient, ApiRefusal } from './api-client.js';
import { listNodes, type NodeRecord } from './list-nodes.js';

/** Fields of a node that a word of `--from` is compared with. */
type Placed = Pick<NodeRecord, 'id' | 'name' | 'status' | 'country' | 'province' | 'region' | 'city' | 'asn' | 'tags'>;

/** Reason why words of `--from` match no node; `isSufficient` if one of them matches none that is online. */
interface Unmatched {
  readonly text: string;
  readonly isSufficient: boolean;
}

/**
 * Reason why the words of `--from` match no node that is online, those first that match none. Example:
 * `no node in CN; "DE" matches 2 nodes, none of them online`. Words that
 * each match a node that is online narrow each other down to none.
 */
export function unmatchedPlaces(from: string, nodes: readonly Placed[]): Unmatched {
  const found = fromWords(from).map((word) => ({ word, nodes: nodes.filter(matcherOf(word)) }));
  const known = found.filter((one) => one.nodes.length > 0);
  const texts = [
    ...found.filter((one) => one.nodes.length === 0).map(({ word }) => noneText(word, nodes)),
    ...known.map(({ word, nodes: { length } }) => `"${word}" matches ${count(length)}`),
  ];
  const hasOnline = known.map((one) => one.nodes.some(({ status }) => status === 'online'));
  const offset = texts.length - known.length;
  const marked = texts.map((text, i) => (hasOnline[i - offset] === false ? `${text}, none of them online` : text));
  const isSufficient = offset > 0 || hasOnline.includes(false);
  const narrow = isSufficient || found.length < 2 ? [] : ['places of different kinds narrow each other'];
  return { text: [...marked, ...narrow, '`vantage nodes` lists them'].join('; '), isSufficient };
}

function count(nodes: number): string {
  return nodes === 1 ? '1 node' : `${nodes} nodes`;
}

/** A node by its name, or a place of several words that are one each, as they are written; null if the word is neither. */
function spellingOf(word: string, nodes: readonly Placed[]): string | null {
  const named = nodes.find(({ name }) => name.toLowerCase() === word.toLowerCase());
  if (named !== undefined) return named.id;
  const parts = word.split(/[\s+]+/);
  return parts.length > 1 && parts.every((part) => parseFrom(part).cities === undefined) ? parts.join(',') : null;
}

/** `no node in CN`, `no node has the tag ssd`, `no node is n_x`, `no such place "Atlantis"`. */
function noneText(word: string, nodes: readonly Placed[]): string {
  const { tags, node_ids: ids, cities } = parseFrom(word);
  if (tags !== undefined) return `no node has the tag ${tags.join()}`;
  if (ids !== undefined) return `no node is ${word}`;
  if (cities === undefined) return `no node in ${word}`;
  const known = () => [...areaNames(), ...nodes.flatMap(({ city }) => city ?? [])];
  const meant = spellingOf(word, nodes) ?? nearestOf(word, known());
  const hint = meant === null ? ': no country or region, and no city of a node' : `, did you mean "${meant}"?`;
  return `no such place "${word}"${hint}`;
}

function matcherOf(word: string): (node: Placed) => boolean {
  const { countries, asns, provinces, regions, cities, tags, node_ids: ids } = parseFrom(word);
  if (countries !== undefined) return ({ country }) => country !== null && countries.includes(country);
  if (asns !== undefined) return ({ asn }) => asn !== null && asns.includes(asn);
  if (provinces !== undefined) return ({ province }) => province !== null && provinces.includes(province);
  if (tags !== undefined) return (node) => node.tags.some((tag) => tags.includes(tag.toLowerCase()));
  if (regions !== undefined) return ({ region }) => region !== null && regions.includes(region);
  if (ids !== undefined) return ({ id }) => ids.includes(id);
  if (cities === undefined) return () => true;
  return ({ city }) => city !== null && cities.some((name) => name.toLowerCase() === city.toLowerCase());
}

/**
 * A refusal of a selection of nodes says which word of `--from` matches which nodes, or that it is about all nodes where there is no such
 * option; any other error stays as it is.
 */
export async function withPlaces(refusal: unknown, client: ApiClient, from: string | undefined): Promise<unknown> {
  if (!(refusal instanceof ApiRefusal) || refusal.details['nodes'] === undefined) return refusal;
  const { status, code, message, details, allowance } = refusal;
  const { nodes = [], ...others } = details;
  const again = (changed: ApiRefusal['details']) => new ApiRefusal(status, code, message, changed, allowance);
  if (from === undefined) return again({ ...others, 'available nodes': nodes });
  const { text, isSufficient } = unmatchedPlaces(from, await listNodes(client));
  return again({ ...others, nodes: isSufficient ? [{ message: text }] : [...nodes, { message: text }] });
}
