import { type HistoryRecordOf, recordsOf } from './history.js';
import type { Invariant } from './invariant.js';

/** I5. While a node is banned nothing of it is committed, on any replica. */
export const banHolds: Invariant = {
  id: 'I5',
  says: 'no row of a banned node is committed after the ban',
  evidence: ['banned'],
  check: (history) => {
    const unbanned = recordsOf(history, 'unbanned');
    const rollbacks = recordsOf(history, 'database-rolled-back');
    // a ban that a failover lost does not count
    const isLost = ({ at }: { at: number }) => rollbacks.some((rollback) => rollback.since <= at && at <= rollback.at);
    const kept = recordsOf(history, 'banned').filter((ban) => !isLost(ban));
    const bans = kept.map((ban) => ({
      nodeId: ban.nodeId,
      from: ban.at,
      to: endOf(ban, unbanned),
    }));
    return recordsOf(history, 'kept')
      .filter((row) =>
        bans.some(({ nodeId, from, to }) => nodeId === row.nodeId && from < row.storedAt && row.storedAt < to),
      )
      .map(({ subject, nodeId }) => `${subject} of ${nodeId} was stored while the node was banned`);
  },
};

function endOf(ban: HistoryRecordOf<'banned'>, unbanned: readonly HistoryRecordOf<'unbanned'>[]): number {
  const lifted = unbanned.filter(({ nodeId, at }) => nodeId === ban.nodeId && at >= ban.at).map(({ at }) => at);
  return Math.min(Number.POSITIVE_INFINITY, ...lifted);
}
