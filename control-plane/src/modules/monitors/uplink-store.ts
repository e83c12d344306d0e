import type { Knex } from 'knex';

/** Slots of one node that were missed since its own network was away. */
export interface UplinkLoss {
  readonly nodeId: string;
  readonly first: Date;
  readonly last: Date;
}

/** A node that lost its network, and whose it is. */
export interface CutOffNode {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly first_at: Date;
}

/** Losses less than this apart are one: it is more than the longest interval. */
const ONE_LOSS = "interval '1 hour'";

/** Notes losses, at most one of each node. @returns the nodes of which it is a new one */
export async function mergeUplinkLosses(trx: Knex, losses: readonly UplinkLoss[]): Promise<CutOffNode[]> {
  const { rows } = await trx.raw<{ rows: CutOffNode[] }>(
    `WITH given AS (
       SELECT * FROM unnest(?::text[], ?::timestamptz[], ?::timestamptz[]) AS g(node_id, first_at, last_at)
     ), known AS (
       UPDATE node_uplink_losses l SET first_at = least(l.first_at, g.first_at), last_at = greatest(l.last_at, g.last_at)
       FROM given g
       WHERE l.node_id = g.node_id AND l.first_at <= g.last_at + ${ONE_LOSS} AND l.last_at >= g.first_at - ${ONE_LOSS}
       RETURNING l.node_id
     ), begun AS (
       INSERT INTO node_uplink_losses (node_id, first_at, last_at)
       SELECT node_id, first_at, last_at FROM given WHERE node_id NOT IN (SELECT node_id FROM known)
       RETURNING node_id, first_at
     ) SELECT n.id, n.user_id, n.name, b.first_at FROM begun b JOIN nodes n ON n.id = b.node_id ORDER BY n.id`,
    [losses.map(({ nodeId }) => nodeId), losses.map(({ first }) => first), losses.map(({ last }) => last)],
  );
  return rows;
}

/** Agents hold reports for three days: what is older can't be gone on with. */
const KEPT = "interval '30 days'";

/** Forgets losses that nobody asks for any more. */
export async function deleteOldUplinkLosses(db: Knex): Promise<void> {
  await db.raw(`DELETE FROM node_uplink_losses WHERE last_at < now() - ${KEPT}`);
}

/** Writes that a node is not well where it is taken from for webhooks. */
export async function insertUnhealthy(trx: Knex, { id, user_id, name, first_at }: CutOffNode): Promise<void> {
  await trx('outbox').insert({
    kind: 'node.unhealthy',
    user_id,
    is_test: false,
    subject: id,
    payload: JSON.stringify({ node: { id, name }, reason: 'uplink_lost', since: first_at.toISOString() }),
  });
}
