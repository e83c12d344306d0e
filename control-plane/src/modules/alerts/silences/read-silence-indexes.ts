import type { Knex } from 'knex';
import type { Slices } from '../../../runtime/slices.js';
import type { Silence } from './silence.js';
import { SilenceIndex } from './silence-index.js';
import { silenceIn } from './silence-row.js';
import { readSilences } from './silence-store.js';

/** Silences of several owners at an instant, by owner; an owner without any is left out. */
export async function readSilenceIndexes(
  db: Knex,
  ownerIds: readonly string[],
  nowMs: number,
  slices: Slices,
): Promise<ReadonlyMap<string, SilenceIndex>> {
  const byOwner = new Map<string, Silence[]>();
  for (const row of await readSilences(db, ownerIds, new Date(nowMs))) {
    await slices.spend(1 + row.scope_ids.length);
    const own = byOwner.get(row.owner_id);
    if (own === undefined) byOwner.set(row.owner_id, [silenceIn(row)]);
    else own.push(silenceIn(row));
  }
  const indexes = new Map<string, SilenceIndex>();
  for (const [ownerId, own] of byOwner) indexes.set(ownerId, await SilenceIndex.of(own, nowMs, slices));
  return indexes;
}
