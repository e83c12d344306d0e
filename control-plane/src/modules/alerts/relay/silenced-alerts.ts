import type { Knex } from 'knex';
import type { AlertColumns } from '../events/alert-store.js';
import { silenceOf } from '../silences/silence.js';
import { silenceIn } from '../silences/silence-row.js';
import { readSilences } from '../silences/silence-store.js';
import { groupBy } from './group-by.js';

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
  const rows = groupBy(await readSilences(db, owners, new Date(nowMs)), ({ owner_id: id }) => id);
  const silences = new Map([...rows].map(([ownerId, own]) => [ownerId, own.map(silenceIn)]));
  return (alert) => {
    const { owner_id: ownerId, monitor_id: id, is_test: isTest, monitor_group_id: groupId, monitor_tags: tags } = alert;
    return silenceOf(silences.get(ownerId) ?? [], { id, isTest, groupId, tags }, alert.severity, nowMs) !== null;
  };
}
