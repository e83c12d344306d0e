import type { MissedReason, MissedReport } from '@vantage/shared/monitor-state/check-report.js';
import type { Knex } from 'knex';
import { program } from '../../../audit-log/actor.js';
import { happened } from '../../../audit-log/happened.js';
import type { Delivered } from './check-store.js';
import { mergeUplinkLoss, ONE_LOSS_MS, type UplinkLoss } from './uplink-store.js';

const LOST: MissedReason = 'uplink_lost';

/**
 * Notifies the owner of a node, once, that the node itself had no network: none of its monitors, however many, has results for
 * that time. Runs in the transaction that stores the missed slots.
 */
export async function noteUplinkLosses(trx: Knex, rows: readonly Delivered<MissedReport>[]): Promise<void> {
  const losses = lossesOf(rows);
  if (losses.length === 0) return;
  // one by one: of two losses of a node the second may continue the first
  for (const loss of losses) {
    const node = await mergeUplinkLoss(trx, loss);
    if (node === null) continue;
    const { id, owner_id: ownerId, name, first_at: firstAt } = node;
    const since = firstAt.toISOString();
    const payload = { node: { id, name }, reason: 'uplink_lost', since };
    await happened(trx, {
      actor: program,
      accountId: ownerId,
      action: 'node.uplink_lost',
      subject: id,
      details: { since },
      event: { kind: 'node.unhealthy', ownerId, isTest: false, subject: id, payload },
    });
  }
}

/** Slots of each node that lie together, from the first to the last. */
function lossesOf(rows: readonly Delivered<MissedReport>[]): UplinkLoss[] {
  const lost = rows.filter(({ body }) => body.reason === LOST);
  const inOrder = lost.sort((a, b) => a.body.first_slot_ms - b.body.first_slot_ms);
  const losses: { readonly nodeId: string; readonly firstMs: number; lastMs: number }[] = [];
  for (const { nodeId, body } of inOrder) {
    const { first_slot_ms: firstMs, last_slot_ms: lastMs } = body;
    const before = losses.findLast((loss) => loss.nodeId === nodeId);
    if (before !== undefined && firstMs - before.lastMs <= ONE_LOSS_MS) before.lastMs = Math.max(before.lastMs, lastMs);
    else losses.push({ nodeId, firstMs, lastMs });
  }
  return losses.map(({ nodeId, firstMs, lastMs }) => {
    return { nodeId, first: new Date(firstMs), last: new Date(lastMs) };
  });
}
