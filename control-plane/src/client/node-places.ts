import { placeTexts } from '@vantage/shared/places/place-texts.js';

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
