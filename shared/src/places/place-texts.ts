import { textCell } from '../probe-types/cells.js';

/** A node by what may name it. */
export interface PlacedNode {
  readonly id: string;
  /** Null if unknown, or not visible to the reader. */
  readonly name: string | null;
  readonly place: { readonly city: string | null; readonly country: string | null; readonly asn: number | null };
}

/** Text of the place of each node, by its id: with the name where city and country are unknown, or the place is that of two nodes. */
export function placeTexts(nodes: readonly PlacedNode[]): ReadonlyMap<string, string> {
  const places = nodes.map(placeText);
  const counts = new Map<string, number>();
  for (const place of places) counts.set(place, (counts.get(place) ?? 0) + 1);
  return new Map(
    nodes.map(({ id, name, place: { city, country } }, i) => {
      const place = places[i] ?? '';
      const isClear = (city ?? country) !== null && counts.get(place) === 1;
      return [id, isClear ? place : textCell([name ?? id, place].filter((part) => part !== '').join(', '))];
    }),
  );
}

function placeText({ place: { city, country, asn } }: PlacedNode): string {
  return textCell([city, country, asn === null ? null : `AS${asn}`].filter((part) => part !== null).join(', '));
}
