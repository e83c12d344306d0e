import type { AlertPolicy } from '@vantage/shared/alerts/policy.js';
import type { Knex } from 'knex';
import { ofOwner } from '../../../owners/index.js';
import { type PolicyRow, policyOf } from './policy-row.js';

// Which policies apply to a monitor: the one that it names, and every simple policy that names it. If there are none, and its owner
// wants to be notified, the default policy of the account. A disabled policy applies, and opens no alerts.

/** SQL condition: policy `p` applies to monitor `m`. */
const APPLIES = `p.owner_id = m.owner_id AND (m.is_test OR NOT p.is_test) AND (
  p.id = m.alert_policy_id OR p.monitor_id = m.id OR (
    p.is_default AND m.notifies_owner AND m.alert_policy_id IS NULL AND NOT EXISTS (
      SELECT FROM alert_policies s WHERE s.monitor_id = m.id AND (m.is_test OR NOT s.is_test))))`;

/** Policy that applies to a monitor. */
export interface AppliedPolicy {
  readonly policy: AlertPolicy;
  readonly name: string;
  readonly isDefault: boolean;
}

/** Policy by its id, whether or not it is enabled. */
export interface KnownPolicy extends AppliedPolicy {
  readonly isEnabled: boolean;
}

/** Enabled policies that apply to each of the monitors, oldest first; a monitor without any is left out. */
export async function readApplied(
  db: Knex,
  monitorIds: readonly string[],
): Promise<ReadonlyMap<string, readonly AppliedPolicy[]>> {
  // each policy once, since many monitors may share a large one
  const { rows } = await db.raw<{ rows: (PolicyRow & { monitor_ids: string[] })[] }>(
    `SELECT p.*, found.monitor_ids FROM (
       SELECT p.id, array_agg(m.id) AS monitor_ids FROM monitors m JOIN alert_policies p ON ${APPLIES}
       WHERE m.id = ANY(:monitorIds) AND p.is_enabled GROUP BY p.id
     ) found JOIN alert_policies p ON p.id = found.id ORDER BY p.id`,
    { monitorIds: [...monitorIds] },
  );
  const applied = new Map<string, AppliedPolicy[]>();
  for (const { monitor_ids: ids, ...row } of rows) {
    const policy = { policy: policyOf(row), name: row.name, isDefault: row.is_default };
    for (const id of ids) {
      const list = applied.get(id);
      if (list === undefined) applied.set(id, [policy]);
      else list.push(policy);
    }
  }
  return applied;
}

/** Policies by their ids, of any owner; those that have been deleted are left out. */
export async function readPolicies(db: Knex, ids: readonly string[]): Promise<ReadonlyMap<string, KnownPolicy>> {
  const { rows } = await db.raw<{ rows: PolicyRow[] }>('SELECT * FROM alert_policies WHERE id = ANY(:ids)', {
    ids: [...ids],
  });
  return new Map(
    rows.map((row) => [
      row.id,
      { policy: policyOf(row), name: row.name, isDefault: row.is_default, isEnabled: row.is_enabled },
    ]),
  );
}

/** Default policies of owners that are enabled, by owner. */
export async function readDefaultPolicies(
  db: Knex,
  ownerIds: readonly string[],
): Promise<ReadonlyMap<string, AlertPolicy>> {
  const { rows } = await db.raw<{ rows: PolicyRow[] }>(
    'SELECT * FROM alert_policies WHERE owner_id = ANY(:ownerIds) AND is_default AND is_enabled',
    { ownerIds: [...ownerIds] },
  );
  return new Map(rows.map((row) => [row.owner_id, policyOf(row)]));
}

/** Ids of the monitors whose alerts are held while one of the given monitors is down, by the id of that one. */
export async function readDependents(
  db: Knex,
  monitorIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await db.raw<{ rows: { id: string; dependents: string[] }[] }>(
    `SELECT d.id, array_agg(DISTINCT m.id) AS dependents
     FROM alert_policies p
     CROSS JOIN unnest(p.depends_on) d(id)
     JOIN monitors m ON m.id <> d.id AND ${APPLIES}
     WHERE p.depends_on && :monitorIds::text[] COLLATE "C" AND p.depends_on <> '{}' AND d.id = ANY(:monitorIds)
       AND p.is_enabled
     GROUP BY d.id`,
    { monitorIds: [...monitorIds] },
  );
  return new Map(rows.map(({ id, dependents }) => [id, dependents]));
}

/**
 * Monitors of an owner that others depend on, each with those that it depends on itself: every cycle consists of such monitors.
 * Disabled policies count, since they may be enabled.
 */
export async function readDependencies(trx: Knex, ownerId: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await trx.raw<{ rows: { id: string; depends_on: string[] }[] }>(
    `SELECT m.id, array_agg(DISTINCT d.id) AS depends_on
     FROM (SELECT DISTINCT unnest(depends_on) AS id FROM alert_policies WHERE ${ofOwner()}) named
     JOIN monitors m ON m.id = named.id AND ${ofOwner('m')}
     JOIN alert_policies p ON ${APPLIES}
     CROSS JOIN unnest(p.depends_on) d(id)
     WHERE d.id <> m.id
     GROUP BY m.id ORDER BY m.id`,
    { ownerId },
  );
  return new Map(rows.map(({ id, depends_on: on }) => [id, on]));
}
