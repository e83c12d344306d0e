import type { Knex } from 'knex';
import { type PreparedStatement, queryPrepared } from '../../../db/prepared.js';
import { type DeliveryRow, deliveryColumns } from './delivery.js';
import { dayOf, isFirst, oldestLiteral } from './delivery-store.js';

/** Notes that messages wait for channels, from `dueAtMs` on. */
export async function queueLanes(
  trx: Knex,
  lanes: readonly { readonly channelId: string; readonly ownerId: string }[],
  dueAtMs: number,
): Promise<void> {
  if (lanes.length === 0) return;
  // in one order, so that two transactions with the same channels do not wait for each other
  const owners = new Map(lanes.map(({ channelId, ownerId }) => [channelId, ownerId]));
  const sorted = [...owners].sort(([a], [b]) => (a < b ? -1 : 1));
  await trx.raw(
    `INSERT INTO alert_lanes (channel_id, owner_id, due_at)
     SELECT channel_id, owner_id, :dueAt FROM unnest(:channelIds::text[], :ownerIds::text[]) AS l(channel_id, owner_id)
     ON CONFLICT (channel_id) DO UPDATE SET due_at = least(alert_lanes.due_at, excluded.due_at)`,
    { dueAt: new Date(dueAtMs), channelIds: sorted.map(([id]) => id), ownerIds: sorted.map(([, owner]) => owner) },
  );
}

/** Channels that one claim looks at: an account has at most 50, so that at least 20 accounts take turns. */
const CANDIDATES = 1_000;

/** Lease on channels. */
export interface Lease {
  readonly id: string;
  readonly nowMs: number;
  readonly untilMs: number;
}

/** Claimed channels and messages. */
export interface Claimed {
  /** Next message of each channel that has one which is due. */
  readonly rows: readonly DeliveryRow[];
  /** Channels that are leased, and have none. */
  readonly empty: readonly string[];
}

/** Room for messages of one claim. */
export interface ClaimRoom {
  /** Messages of all accounts together. */
  readonly limit: number;
  /** Messages of one account that may be in flight. */
  readonly ofAccount: number;
  /** Messages that are in flight, by account. */
  readonly inFlight: ReadonlyMap<string, number>;
}

/**
 * Leases channels with due messages, of the account with the fewest in flight first, and claims the next message of each. One
 * that another sender had claimed may have arrived: that sender died, or its lease ran out, before it recorded the result.
 */
export async function claimDeliveries(db: Knex, lease: Lease, room: ClaimRoom): Promise<Claimed> {
  const { id, nowMs, untilMs } = lease;
  const { limit, ofAccount, inFlight } = room;
  const accounts = [[...inFlight.keys()], [...inFlight.values()]];
  const values = [new Date(nowMs), new Date(untilMs), id, limit, ...accounts, ofAccount];
  const found = await queryPrepared<DeliveryRow & { lane: string }>(db, claimOn(dayOf(nowMs)), values);
  return {
    rows: found.filter((row) => row.id !== null).map(({ lane: _lane, ...row }) => row),
    empty: found.filter((row) => row.id === null).map(({ lane }) => lane),
  };
}

const IS_FREE = 'coalesce(leased_until <= $1, true) AND coalesce(held_until <= $1, true)';

// Accounts that have their share in flight are no candidates: with many lanes they would hide the lanes of others.
// $5 accounts with messages in flight, $6 how many, $7 how many an account may have
// `coalesce(l.due_at …)` keeps the second condition on due_at from the index: in a storm, which statistics do not know, all due
// lanes would be read for each of them. The last two conditions on `u` are checked again on a message that its sender has
// recorded since the statement began. Columns by name: a prepared statement with `*` fails for good once a migration has added one.
const claimOn = (day: number): PreparedStatement => ({
  name: 'alerts-claim',
  day,
  text: `WITH held AS MATERIALIZED (
      SELECT * FROM unnest($5::text[], $6::int[]) AS h (owner_id, count)
    ), due AS (
      SELECT channel_id, owner_id, due_at FROM alert_lanes
      WHERE due_at <= $1 AND ${IS_FREE} AND owner_id NOT IN (SELECT owner_id FROM held WHERE count >= $7)
      ORDER BY due_at LIMIT ${CANDIDATES}
    ), turns AS (
      SELECT channel_id, due_at, row_number() OVER (PARTITION BY owner_id ORDER BY due_at) + coalesce(held.count, 0) AS turn
      FROM due LEFT JOIN held USING (owner_id)
    ), chosen AS (
      SELECT l.channel_id FROM alert_lanes l JOIN turns t USING (channel_id)
      WHERE coalesce(l.due_at <= $1, false) AND ${IS_FREE} AND t.turn <= $7
      ORDER BY t.turn, t.due_at LIMIT $4 FOR UPDATE OF l SKIP LOCKED
    ), leased AS (
      UPDATE alert_lanes l SET lease = $3, leased_until = $2 FROM chosen c
      WHERE l.channel_id = c.channel_id RETURNING l.channel_id
    ), claimed AS (
      UPDATE alert_deliveries u SET status = 'sending', may_have_arrived = may_have_arrived OR status = 'sending'
      FROM leased c CROSS JOIN LATERAL (
        SELECT id FROM alert_deliveries d WHERE d.channel_id = c.channel_id AND d.finished_at IS NULL AND d.id >= ${oldestLiteral(day)}
          AND d.next_attempt_at <= $1 AND ${isFirst(oldestLiteral(day))} ORDER BY d.priority, d.id LIMIT 1
      ) AS next WHERE u.id = next.id AND u.id >= ${oldestLiteral(day)} AND u.finished_at IS NULL AND u.next_attempt_at <= $1
      RETURNING ${deliveryColumns.map((column) => `u.${column}`).join(', ')}
    )
    SELECT leased.channel_id AS lane, claimed.* FROM leased LEFT JOIN claimed ON claimed.channel_id = leased.channel_id`,
});

/** Lease of a channel, locked until the transaction ends; null if it has none. */
export async function lockLane(trx: Knex, channelId: string): Promise<string | null> {
  const lane = await trx('alert_lanes').where({ channel_id: channelId }).forUpdate().first<{ lease: string | null }>();
  return lane?.lease ?? null;
}

/** Ends the lease of a channel: when its next message is due (null if none waits), and until when it takes none (null if it takes them). */
export async function releaseLane(
  trx: Knex,
  channelId: string,
  { dueAt, heldUntilMs }: { readonly dueAt: Date | null; readonly heldUntilMs: number | null },
): Promise<void> {
  await trx('alert_lanes')
    .where({ channel_id: channelId })
    .update({
      due_at: dueAt,
      held_until: heldUntilMs === null ? null : new Date(heldUntilMs),
      lease: null,
      leased_until: null,
    });
}

/** Ends the pause of a channel whose vendor asked for one: what waits is due at once. */
export async function resumeLane(trx: Knex, channelId: string, nowMs: number): Promise<void> {
  const now = new Date(nowMs);
  const resumed = await queryPrepared(trx, RESUME_LANE, [channelId, now]);
  if (resumed.length > 0) await queryPrepared(trx, resumeWaitingOn(dayOf(nowMs)), [channelId, now]);
}

const RESUME_LANE = {
  name: 'alerts-resume-lane',
  text: `UPDATE alert_lanes SET held_until = NULL, due_at = $2 WHERE channel_id = $1 AND held_until > $2 RETURNING channel_id`,
};

const resumeWaitingOn = (day: number): PreparedStatement => ({
  name: 'alerts-resume-waiting',
  text: `UPDATE alert_deliveries SET next_attempt_at = $2
    WHERE channel_id = $1 AND finished_at IS NULL AND status = 'retrying' AND id >= ${oldestLiteral(day)}`,
  day,
});

export async function deleteLane(trx: Knex, channelId: string): Promise<void> {
  await trx('alert_lanes').where({ channel_id: channelId }).delete();
}
