import type { MissedReason, MissedReport } from '@vantage/shared/monitor-state/check-report.js';
import type { Knex } from 'knex';
import { program } from '../../actor.js';
import { insertAuditEntry } from '../audit/index.js';
import type { Delivered } from './check-store.js';
import { insertUnhealthy, mergeUplinkLoss, ONE_LOSS_MS, type UplinkLoss } from './uplink-store.js';

const LOST: MissedReason = 'uplink_lost';

/**
 * Tells the owner of a node, once, that the node could reach nothing itself: its monitors say nothing of that time, however
 * many they are. In the transaction that stores what it missed.
 */
export async function noteUplinkLosses(trx: Knex, rows: readonly Delivered<MissedReport>[]): Promise<void> {
  const losses = lossesOf(rows);
  if (losses.length === 0) return;
  // one by one: of two of a node the second may go on the first
  for (const loss of losses) {
    const node = await mergeUplinkLoss(trx, loss);
    if (node === null) continue;
    await insertUnhealthy(trx, node);
    const details = { since: node.first_at.toISOString() };
    const entry = { actor: program, accountId: node.user_id, subject: node.id, details };
    await insertAuditEntry(trx, { ...entry, action: 'node.uplink_lost' });
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
