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
export const ONE_LOSS_MS = 3_600_000;
const ONE_LOSS = `interval '${ONE_LOSS_MS} ms'`;

/** Notes a loss of a node. @returns the node; null: it goes on one that is known */
export async function mergeUplinkLoss(trx: Knex, { nodeId, first, last }: UplinkLoss): Promise<CutOffNode | null> {
  const { rows } = await trx.raw<{ rows: CutOffNode[] }>(
    `WITH known AS (
       UPDATE node_uplink_losses SET first_at = least(first_at, :first), last_at = greatest(last_at, :last)
       WHERE node_id = :nodeId AND first_at <= :last::timestamptz + ${ONE_LOSS} AND last_at >= :first::timestamptz - ${ONE_LOSS}
       RETURNING node_id
     ), begun AS (
       INSERT INTO node_uplink_losses (node_id, first_at, last_at)
       SELECT :nodeId, :first, :last WHERE NOT EXISTS (SELECT FROM known)
       RETURNING node_id, first_at
     ) SELECT n.id, n.user_id, n.name, b.first_at FROM begun b JOIN nodes n ON n.id = b.node_id`,
    { nodeId, first, last },
  );
  return rows[0] ?? null;
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
