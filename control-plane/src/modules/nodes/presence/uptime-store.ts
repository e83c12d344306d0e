import type { Knex } from 'knex';

/**
 * Days for which link times (seconds with an open link, per day) are kept: more than the 30 that the uptime needs, so that
 * operators can look further back.
 */
const KEPT_DAYS = 90;

/**
 * Updates the uptime of all nodes: share of the last 30 days in UTC, including today until now, with an open link, in percent
 * with two decimals; for younger nodes, since their enrollment. Open links count until now. Only rows whose
 * percentage changed are written.
 */
export async function updateUptimes(db: Knex): Promise<void> {
  await db.raw(`
    WITH span AS (SELECT date_trunc('day', now() AT TIME ZONE 'UTC') - interval '29 days' AS first, now() AT TIME ZONE 'UTC' AS last),
    closed AS (
      SELECT d.node_id, sum(d.seconds) AS seconds FROM node_link_days d, span WHERE d.day >= span.first::date GROUP BY d.node_id
    ),
    measured AS (
      SELECT n.id,
        greatest(span.first, n.created_at AT TIME ZONE 'UTC') AS since, span.last,
        coalesce(c.seconds, 0) + CASE WHEN n.session_id IS NULL THEN 0
          ELSE greatest(0, extract(epoch FROM span.last - greatest(span.first, n.connected_at AT TIME ZONE 'UTC'))) END AS seconds
      FROM span, nodes n LEFT JOIN closed c ON c.node_id = n.id
    ),
    uptime AS (
      SELECT id, round(least(100, 100 * seconds / extract(epoch FROM last - since))::numeric, 2)::double precision AS percent
      FROM measured WHERE last > since
    )
    UPDATE nodes SET uptime_percent_30d = uptime.percent FROM uptime
    WHERE nodes.id = uptime.id AND nodes.id IN (
      SELECT n.id FROM nodes n JOIN uptime u ON u.id = n.id
      WHERE n.uptime_percent_30d IS DISTINCT FROM u.percent FOR NO KEY UPDATE OF n SKIP LOCKED
    )`);
}

/** Deletes link times that are older than 90 days. */
export async function deleteOldLinkDays(db: Knex): Promise<void> {
  await db.raw(`DELETE FROM node_link_days WHERE day < (now() AT TIME ZONE 'UTC')::date - ${KEPT_DAYS}`);
}
