import type { Knex } from 'knex';

/** Slots of a node that were missed because its own network was down. */
export interface UplinkLoss {
  readonly nodeId: string;
  readonly first: Date;
  readonly last: Date;
}

/** Node that lost its network, with its owner. */
export interface CutOffNode {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly first_at: Date;
}

/** Distance below which two losses are merged: longer than the longest interval. */
export const ONE_LOSS_MS = 3_600_000;
const ONE_LOSS = `interval '${ONE_LOSS_MS} ms'`;

/** Records a loss of a node. @returns the node; null if the loss continues a recorded one */
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
     ) SELECT n.id, n.owner_id, n.name, b.first_at FROM begun b JOIN nodes n ON n.id = b.node_id`,
    { nodeId, first, last },
  );
  return rows[0] ?? null;
}

/** Time for which losses are kept: agents hold reports for three days, so that an older loss cannot continue. */
const KEPT = "interval '30 days'";

/** Deletes losses that are no longer needed. */
export async function deleteOldUplinkLosses(db: Knex): Promise<void> {
  await db.raw(`DELETE FROM node_uplink_losses WHERE last_at < now() - ${KEPT}`);
}
