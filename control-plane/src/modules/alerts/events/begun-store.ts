import { idLowerBound, idPrefixes } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { isBeyondLog } from '../deliveries/needed.js';

/** Messages that are joined for a channel. */
interface Bundle {
  readonly owner_id: string;
  readonly channel_id: string;
  /** Thread of its digests; null if none was sent. */
  readonly thread: string | null;
}

/** Alert of a bundle. */
interface Part {
  readonly alertId: string;
  readonly startedAtMs: number;
}

/** Says if the channel of a bundle got a message about the start of an alert; `on its way`: an attempt at it is under way. */
export type Beginning = 'begun' | 'on its way' | 'none';

/**
 * Answers whether the channel of a bundle got a message about the start of an alert, or may have got or still get one. A channel that is
 * notified of ends alone (`on_recovery.channels`) had none, and needs none.
 */
export type BeginningOf = (bundle: Pick<Bundle, 'channel_id'>, part: Part) => Beginning;

/**
 * Reads which alerts of bundles their channels know of. A message that waits is sent only while one of its alerts fires. Digests of
 * more alerts than their rows name are found by their thread, and name the others in a row of their own. What is no longer known
 * counts as begun.
 */
export async function readBegun(
  trx: Knex,
  bundles: readonly Bundle[],
  parts: readonly Part[],
  nowMs: number,
): Promise<BeginningOf> {
  if (parts.length === 0) return () => 'none';
  const sinceMs = parts.reduce((oldest, { startedAtMs }) => Math.min(oldest, startedAtMs), Number.POSITIVE_INFINITY);
  const { rows } = await trx.raw<{ rows: { channel_id: string; alert_ids: string[]; beginning: Beginning }[] }>(
    `SELECT d.channel_id, coalesce(g.alert_ids, CASE WHEN d.alert_count > cardinality(d.alert_ids) THEN :alertIds ELSE d.alert_ids END) AS alert_ids,
       CASE WHEN d.status = 'sent' OR d.may_have_arrived THEN 'begun'
         WHEN d.status = 'sending' THEN CASE WHEN EXISTS (
           SELECT FROM alert_lanes l WHERE l.channel_id = d.channel_id AND l.leased_until > :now) THEN 'on its way' ELSE 'begun' END
         WHEN d.finished_at IS NULL AND EXISTS (
           SELECT FROM alerts a WHERE a.id = ANY(d.alert_ids) AND a.status = 'firing') THEN 'begun'
         ELSE 'none' END AS beginning
     FROM alert_deliveries d LEFT JOIN alert_digests g ON g.message_group = d.message_group
     WHERE d.id >= :oldest AND d.channel_id = ANY(:channelIds) AND d.kind NOT IN ('resolved', 'acknowledged')
       AND (d.alert_ids && :alertIds OR d.owner_id = ANY(:ownerIds) AND d.thread = ANY(:threads))`,
    {
      now: new Date(nowMs),
      oldest: idLowerBound(idPrefixes.alertDelivery, sinceMs),
      channelIds: bundles.map(({ channel_id: id }) => id),
      alertIds: parts.map(({ alertId }) => alertId),
      ownerIds: bundles.map(({ owner_id: id }) => id),
      threads: bundles.flatMap(({ thread }) => thread ?? []),
    },
  );
  const known = new Map<string, Beginning>();
  for (const { channel_id: channelId, alert_ids: ids, beginning } of rows)
    for (const id of ids) {
      const key = `${channelId} ${id}`;
      known.set(key, surer(known.get(key) ?? 'none', beginning));
    }
  return ({ channel_id: channelId }, { alertId, startedAtMs }) =>
    isBeyondLog(startedAtMs, nowMs) ? 'begun' : (known.get(`${channelId} ${alertId}`) ?? 'begun');
}

/** The one of two messages about the same start that counts. */
function surer(one: Beginning, other: Beginning): Beginning {
  if (one === 'begun' || other === 'begun') return 'begun';
  return one === 'on its way' || other === 'on its way' ? 'on its way' : 'none';
}
