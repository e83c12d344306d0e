import { idPrefixes, isId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { readPeople } from '../../accounts/index.js';
import { maskRecipient } from '../deliveries/masking.js';
import type { AlertRow } from './alert-row.js';
import { readGroupNames } from './name-store.js';

/** Names of what alerts have by id, for texts that people read. */
export interface AlertNames {
  /** Display name of the user who acknowledged an alert, else the address, masked; of a link its channel or recipient; or null. */
  acknowledgedBy(alert: Pick<AlertRow, 'state'>): string | null;
  /** Name of the group of the monitor; null if it has none. */
  group(alert: Pick<AlertRow, 'monitor_group_id'>): string | null;
}

/** Reads the names that these alerts need, with at most two statements. What no longer exists is named by its id. */
export async function readAlertNames(
  db: Knex,
  alerts: readonly Pick<AlertRow, 'state' | 'monitor_group_id'>[],
): Promise<AlertNames> {
  const userIds = alerts.flatMap(({ state: { acknowledgedBy: by } }) => (by !== null && isUser(by) ? [by] : []));
  const groupIds = alerts.flatMap(({ monitor_group_id: id }) => id ?? []);
  const people = await readPeople(db, [...new Set(userIds)]);
  const groups = await readGroupNames(db, [...new Set(groupIds)]);
  return {
    acknowledgedBy({ state: { acknowledgedBy: by } }) {
      if (by === null) return null;
      if (!isUser(by)) return by.replace(/^channel:/, '');
      const { displayName = null, email = null } = people.get(by) ?? {};
      return displayName ?? (email === null ? by : maskRecipient(email));
    },
    group: ({ monitor_group_id: id }) => (id === null ? null : (groups.get(id) ?? id)),
  };
}

function isUser(by: string): boolean {
  return isId(idPrefixes.user, by);
}
