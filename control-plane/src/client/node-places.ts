import { placeTexts } from '@vantage/shared/places/place-texts.js';
import type { ApiClient } from './api-client.js';
import { listNodes, type NodeRecord } from './list-nodes.js';

/** Name of a node by its id; null if it is unknown. */
export type NameOf = (nodeId: string) => string | null;

/** Node of a task or a report. */
interface PlacedNode {
  readonly node_id: string;
  /** Absent: unknown. */
  readonly node?: { readonly city: string | null; readonly country: string | null; readonly asn: number | null };
}

const UNKNOWN = { city: null, country: null, asn: null };

/** Text for each node by its id: its place, its name where the place is unknown or that of two nodes, its id where the name is unknown. */
export function nodePlaces(nodes: readonly PlacedNode[], nameOf: NameOf): ReadonlyMap<string, string> {
  return placeTexts(nodes.map(({ node_id: id, node }) => ({ id, name: nameOf(id), place: node ?? UNKNOWN })));
}

/** True if the places of nodes alone do not name them: some are unknown, or alike. */
export function needsNames(nodes: readonly PlacedNode[]): boolean {
  return [...nodePlaces(nodes, () => null)].some(([id, place]) => place.startsWith(id));
}

/** Place or name of a node by its id, as `nodePlaces` gives it; the id of a node that the caller cannot use. */
export type PlaceOf = (nodeId: string) => string;

/** @throws ApiRefusal, ApiUnreachable */
export async function readPlaces(client: ApiClient): Promise<PlaceOf> {
  return placeOfNodes(await listNodes(client));
}

/** Reads places from these nodes. */
export function placeOfNodes(nodes: readonly Pick<NodeRecord, 'id' | 'name' | 'city' | 'country' | 'asn'>[]): PlaceOf {
  const places = placeTexts(nodes.map(({ id, name, ...place }) => ({ id, name, place })));
  return (nodeId) => places.get(nodeId) ?? nodeId;
}
