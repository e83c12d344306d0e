import type { Knex } from 'knex';
import { Slices } from '../../../runtime/slices.js';
import type { AlertColumns } from '../events/alert-store.js';
import { readSilenceIndexes } from '../silences/read-silence-indexes.js';

/** Columns of an alert that decide whether it is silenced. */
export type SilencedColumns = Pick<
  AlertColumns,
  'owner_id' | 'is_test' | 'monitor_id' | 'monitor_group_id' | 'monitor_tags' | 'status' | 'severity'
>;

/** Answers which of these alerts a silence covers at an instant; of those that do not fire nothing is read. */
export async function readSilenced(
  db: Knex,
  alerts: readonly SilencedColumns[],
  nowMs: number,
): Promise<(alert: SilencedColumns) => boolean> {
  const firing = alerts.filter(({ status }) => status === 'firing');
  if (firing.length === 0) return () => false;
  const owners = [...new Set(firing.map(({ owner_id: id }) => id))];
  const silences = await readSilenceIndexes(db, owners, nowMs, new Slices());
  return (alert) => {
    const { owner_id: ownerId, monitor_id: id, is_test: isTest, monitor_group_id: groupId, monitor_tags: tags } = alert;
    return (silences.get(ownerId)?.untilMs({ id, isTest, groupId, tags }, alert.severity) ?? null) !== null;
  };
}
