import type { MissedReason, MissedReport } from '@vantage/shared/monitor-state/check-report.js';
import type { Knex } from 'knex';
import { program } from '../../actor.js';
import { insertAuditEntry } from '../audit/index.js';
import type { Delivered } from './check-store.js';
import { insertUnhealthy, mergeUplinkLosses, type UplinkLoss } from './uplink-store.js';

const LOST: MissedReason = 'uplink_lost';

/**
 * Tells the owner of a node, once, that the node could reach nothing itself: its monitors say nothing of that time, however
 * many they are. In the transaction that stores what it missed.
 */
export async function noteUplinkLosses(trx: Knex, rows: readonly Delivered<MissedReport>[]): Promise<void> {
  const losses = lossesOf(rows);
  if (losses.length === 0) return;
  for (const node of await mergeUplinkLosses(trx, losses)) {
    await insertUnhealthy(trx, node);
    const details = { since: node.first_at.toISOString() };
    const entry = { actor: program, accountId: node.user_id, subject: node.id, details };
    await insertAuditEntry(trx, { ...entry, action: 'node.uplink_lost' });
  }
}

/** From the first slot to the last, by node. */
function lossesOf(rows: readonly Delivered<MissedReport>[]): UplinkLoss[] {
  const losses = new Map<string, { firstMs: number; lastMs: number }>();
  for (const { nodeId, body } of rows) {
    if (body.reason !== LOST) continue;
    const before = losses.get(nodeId) ?? { firstMs: body.first_slot_ms, lastMs: body.last_slot_ms };
    losses.set(nodeId, {
      firstMs: Math.min(before.firstMs, body.first_slot_ms),
      lastMs: Math.max(before.lastMs, body.last_slot_ms),
    });
  }
  return [...losses].map(([nodeId, { firstMs, lastMs }]) => {
    return { nodeId, first: new Date(firstMs), last: new Date(lastMs) };
  });
}
