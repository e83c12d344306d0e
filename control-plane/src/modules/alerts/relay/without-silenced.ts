import type { AlertState } from '@vantage/shared/alerts/alert.js';
import { forgetNotified } from '@vantage/shared/alerts/forget-notified.js';
import type { Knex } from 'knex';
import { listSilenced } from '../deliveries/delivery-store.js';
import type { AlertRow } from '../events/alert-row.js';
import { listLeftOut } from './bundle-store.js';

/**
 * States of alerts without channels whose messages a silence has dropped on their way, or left out of a digest: those are due to be notified. Of alerts that no
 * silence holds nothing is read.
 */
export async function readWithoutSilenced(
  trx: Knex,
  alerts: readonly AlertRow[],
  nowMs: number,
): Promise<ReadonlyMap<string, AlertState>> {
  const silenced = alerts.filter(({ state }) => state.heldBy.includes('silence') && state.told.length > 0);
  if (silenced.length === 0) return new Map();
  const sinceMs = Math.min(...silenced.map(({ created_at: at }) => at.getTime()));
  const alertIds = silenced.map(({ id }) => id);
  const dropped = await listSilenced(trx, { alertIds, sinceMs });
  const ownerIds = [...new Set(silenced.map(({ owner_id: id }) => id))];
  const leftOut = await listLeftOut(trx, { alertIds, ownerIds });
  return new Map(
    silenced.flatMap(({ id, state }) => {
      const channels = [...(dropped.get(id) ?? []), ...(leftOut.get(id) ?? [])];
      return channels.length === 0 ? [] : [[id, forgetNotified(state, channels, nowMs)] as const];
    }),
  );
}
