import type { Knex } from 'knex';
import type { DerivedPlace } from '../../../geo/index.js';
import { type ConfirmedAgainst, type DeclaredPlace, judgePlace, type PlaceFacts } from './place.js';

/** Columns of table nodes that describe the place of a node. */
export interface PlaceRow {
  readonly country: string | null;
  readonly province: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly asn: number | null;
  readonly provider: string | null;
  readonly declared_place: DeclaredPlace | null;
  readonly derived_place: DerivedPlace | null;
  readonly confirmed_against: ConfirmedAgainst | null;
}

/** Names of the columns of `PlaceRow`, separated by commas. */
export const PLACE_COLUMNS =
  'country, province, region, city, asn, provider, declared_place, derived_place, confirmed_against';

/** Facts in a row. For nodes that enrolled before places were derived, the columns themselves are the declared place. */
export function factsOf(row: PlaceRow): PlaceFacts {
  const { country, province, region, city, asn, provider } = row;
  return {
    declared: row.declared_place ?? { country, province, region, city, asn, provider },
    derived: row.derived_place,
    confirmedAgainst: row.confirmed_against,
  };
}

/** Values of the columns for these facts. */
export function placeColumns(facts: PlaceFacts): Readonly<Record<string, unknown>> {
  const { place, source, isMismatch } = judgePlace(facts);
  return {
    ...place,
    declared_place: JSON.stringify(facts.declared),
    derived_place: facts.derived === null ? null : JSON.stringify(facts.derived),
    confirmed_against: facts.confirmedAgainst === null ? null : JSON.stringify(facts.confirmedAgainst),
    location_source: source,
    geo_mismatch: isMismatch,
  };
}

/** Changes the facts about the place of a node, with its row locked; false if there is no such node, or it is deleted. */
export async function changePlace(
  trx: Knex.Transaction,
  nodeId: string,
  change: (facts: PlaceFacts) => PlaceFacts,
): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: PlaceRow[] }>(
    `SELECT ${PLACE_COLUMNS} FROM nodes WHERE id = ? AND deleted_at IS NULL FOR NO KEY UPDATE`,
    [nodeId],
  );
  if (!rows[0]) return false;
  await trx('nodes')
    .where({ id: nodeId })
    .update(placeColumns(change(factsOf(rows[0]))));
  return true;
}
