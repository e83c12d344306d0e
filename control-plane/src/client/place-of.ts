import type { ApiClient } from './api-client.js';
import { listNodes, type NodeRecord } from './list-nodes.js';

/** Names and places of nodes by their ids; a node that the caller cannot use has its id alone. */
export type PlaceOf = (nodeId: string) => string;

/** @throws ApiRefusal, ApiUnreachable */
export async function readPlaces(client: ApiClient): Promise<PlaceOf> {
  return placesOf(await listNodes(client));
}

/** Places of these nodes: `berlin-1, Berlin, DE`. */
export function placesOf(nodes: readonly Pick<NodeRecord, 'id' | 'name' | 'city' | 'country'>[]): PlaceOf {
  const places = new Map(
    nodes.map(({ id, name, city, country }) => [id, [name, city, country].filter(Boolean).join(', ')]),
  );
  return (nodeId) => places.get(nodeId) || nodeId;
}
