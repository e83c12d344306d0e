import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { listFollowing } from '../deliveries/delivery-store.js';
import { type EndReason, isBeyondLog, type Needed, type WaitingMessage } from '../deliveries/needed.js';
import { type AlertColumns, readAlertColumns } from '../events/alert-store.js';
import { readDigests } from './digest-store.js';
import { readSilenced } from './silenced-alerts.js';
import { endReasonOf } from './still-needed.js';

/** Answers whether messages about alerts are still needed, with at most four statements for all of them. */
export function neededByAlerts(clock: Clock): Needed {
  return {
    async refuse(db, messages) {
      const asked = await withAllAlerts(
        db,
        messages.filter(({ alertIds }) => alertIds.length > 0),
      );
      const alerts = await readAlertColumns(
        db,
        asked.flatMap(({ alertIds }) => [...alertIds]),
      );
      const nowMs = clock.now();
      const isSilenced = await readSilenced(db, [...alerts.values()], nowMs);
      const notified = await readNotified(db, asked, alerts);
      const reasons = new Map<string, EndReason>();
      for (const { id, kind, mayHaveArrived, alertIds } of asked) {
        const own = alertIds.flatMap((alertId) => alerts.get(alertId) ?? []);
        const reason = endReasonOf({
          kind,
          mayHaveArrived,
          alerts: own.map((alert) => ({ status: alert.status, isSilenced: isSilenced(alert) })),
          wasNotified: notified.has(id) || own.some(({ created_at: at }) => isBeyondLog(at.getTime(), nowMs)),
        });
        if (reason !== null) reasons.set(id, reason);
      }
      return reasons;
    },
  };
}

/** Messages with the ids of all of their alerts, also of those that they do not name. */
async function withAllAlerts(db: Knex, messages: readonly WaitingMessage[]): Promise<readonly WaitingMessage[]> {
  const large = messages.filter(({ alertIds, alertCount }) => alertCount > alertIds.length);
  const digests = await readDigests(
    db,
    large.map(({ messageGroup }) => messageGroup),
  );
  return messages.flatMap((message) => {
    if (message.alertCount <= message.alertIds.length) return [message];
    const alertIds = digests.get(message.messageGroup);
    // one of which not all alerts are known any more is sent
    return alertIds === undefined ? [] : [{ ...message, alertIds }];
  });
}

/** Ids of the messages about an end or an acknowledgement, or of digests, whose recipients got an earlier one. */
async function readNotified(
  db: Knex,
  messages: readonly WaitingMessage[],
  alerts: ReadonlyMap<string, AlertColumns>,
): Promise<ReadonlySet<string>> {
  const ids = messages
    .filter(({ kind }) => kind === 'resolved' || kind === 'acknowledged' || kind === 'digest')
    .map(({ id }) => id);
  if (ids.length === 0) return new Set();
  const times = [...alerts.values()].map(({ created_at: at }) => at.getTime());
  const sinceMs = times.reduce((oldest, atMs) => Math.min(oldest, atMs), Number.POSITIVE_INFINITY);
  return listFollowing(db, { ids, sinceMs: Number.isFinite(sinceMs) ? sinceMs : 0 });
}
