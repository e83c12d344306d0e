import type { getNode } from '../../../src/modules/nodes/routes/get-node.js';
import type { listNodes } from '../../../src/modules/nodes/routes/list-nodes.js';
import { type DataOf, get } from '../../api/call.js';
import { countryName, visible } from '../../texts/format.js';

export type Node = DataOf<typeof listNodes>['items'][number];
export type NodeDetail = DataOf<typeof getNode>;

/** Nodes of a page, and pages that are read at most. */
const PAGE_SIZE = 200;
const MAX_PAGES = 10;

/** Every node that the person may see. */
export async function everyNode(signal: AbortSignal): Promise<readonly Node[]> {
  const nodes: Node[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const query = { page, page_size: PAGE_SIZE };
    const { data } = await get<typeof listNodes>('/v1/nodes', { query, signal });
    nodes.push(...data.items);
    if (data.items.length < PAGE_SIZE) break;
  }
  return nodes;
}

/** City and country of a node, or of the node of a result; an en dash if neither is known. */
export function placeName({ city, country }: Pick<Node, 'city' | 'country'>): string {
  const parts = [city === null ? null : visible(city), country === null ? null : countryName(country)];
  return parts.filter((part) => part !== null).join(', ') || '–';
}

/** Network of a node. */
export function networkName({ asn, isp }: Pick<Node, 'asn' | 'isp'>): string {
  if (asn === null) return '–';
  return isp === null ? `AS${asn}` : `AS${asn} ${visible(isp)}`;
}

/** Distinct values of nodes and how many nodes have each, the most frequent first. */
export function countsOf<V extends string | number>(
  nodes: readonly Node[],
  valueOf: (node: Node) => V | null,
): readonly { readonly value: V; readonly count: number }[] {
  const counts = new Map<V, number>();
  for (const node of nodes) {
    const value = valueOf(node);
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}
