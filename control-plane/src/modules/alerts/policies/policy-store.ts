import type { Knex } from 'knex';
import { type CountedPage, type PageRange, queryNamed, queryPage } from '../../../db/named.js';
import { type Owner, ofOwner, ownedBy } from '../../../owners/index.js';
import { NAMES_CHANNEL } from '../channels/channel-store.js';
import type { PolicyFields, PolicyRow } from './policy-row.js';

const COLUMNS = `id, owner_id, created_by, is_test, name, is_enabled, is_default, monitor_id, rules, escalation, on_recovery, suppression,
  depends_on, created_at, updated_at`;

/** Number of policies of an owner, the default one included. */
export async function countPolicies(trx: Knex, ownerId: string): Promise<number> {
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    `SELECT count(*)::int AS count FROM alert_policies WHERE ${ofOwner()}`,
    { ownerId },
  );
  return rows[0]?.count ?? 0;
}

/** True if another policy of an owner has a name, whichever key created it. */
export async function isPolicyNameTaken(
  trx: Knex,
  ownerId: string,
  name: string,
  exceptId: string | null,
): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `SELECT 1 FROM alert_policies WHERE ${ofOwner()} AND name = :name AND id IS DISTINCT FROM :exceptId`,
    { ownerId, name, exceptId },
  );
  return rows.length > 0;
}

export async function insertPolicy(
  trx: Knex,
  policy: PolicyFields & Pick<PolicyRow, 'id' | 'owner_id' | 'created_by' | 'is_test'>,
  at: Date,
): Promise<PolicyRow> {
  const { id, owner_id, created_by, is_test } = policy;
  const [row] = await trx('alert_policies')
    .insert({ id, owner_id, created_by, is_test, ...toColumns(policy), created_at: at, updated_at: at })
    .returning('*');
  return row;
}

/** Changes a policy. */
export async function updatePolicy(trx: Knex, id: string, policy: PolicyFields, at: Date): Promise<PolicyRow> {
  const [row] = await trx('alert_policies')
    .where({ id })
    .update({ ...toColumns(policy), updated_at: at })
    .returning('*');
  return row;
}

/** Takes the default policy of an owner out of its place, for another one. */
export async function clearDefault(trx: Knex, ownerId: string): Promise<void> {
  await trx.raw(`UPDATE alert_policies SET is_default = false WHERE ${ofOwner()} AND is_default`, { ownerId });
}

/** Deletes a policy; monitors that name it name none then. */
export async function deletePolicy(trx: Knex, id: string): Promise<void> {
  await trx('alert_policies').where({ id }).delete();
}

/** Policy of an owner, or null. */
export async function findPolicy(db: Knex, id: string, owner: Owner): Promise<PolicyRow | null> {
  const sql = `SELECT ${COLUMNS} FROM alert_policies WHERE id = :id AND ${ownedBy(owner)}`;
  const [row] = await queryNamed<PolicyRow>(db, 'alert-policy', sql, { id, ownerId: owner.id });
  return row ?? null;
}

/** Same as `findPolicy`, locked until the transaction ends. */
export async function lockPolicy(trx: Knex, id: string, owner: Owner): Promise<PolicyRow | null> {
  const { rows } = await trx.raw<{ rows: PolicyRow[] }>(
    `SELECT * FROM alert_policies WHERE id = :id AND ${ownedBy(owner)} FOR UPDATE`,
    { id, ownerId: owner.id },
  );
  return rows[0] ?? null;
}

/** Page of an owner's policies, newest first, and the number of all. */
export function listPolicies(db: Knex, owner: Owner, page: PageRange): Promise<CountedPage<PolicyRow>> {
  const [from, where] = ['alert_policies', ownedBy(owner)];
  const query = { name: 'alert-policies', columns: COLUMNS, from, where, orderBy: 'id DESC' };
  return queryPage<PolicyRow>(db, query, { ownerId: owner.id, ...page });
}

/** Policies that name a channel anywhere, oldest first, locked until the transaction ends. */
export async function lockPoliciesNaming(trx: Knex, channelId: string): Promise<PolicyRow[]> {
  const { rows } = await trx.raw<{ rows: PolicyRow[] }>(
    `SELECT p.* FROM alert_policies p JOIN alert_channels c ON c.owner_id = p.owner_id AND ${NAMES_CHANNEL}
     WHERE c.id = :channelId ORDER BY p.id FOR UPDATE OF p`,
    { channelId },
  );
  return rows;
}

/** Default policy of an owner, locked until the transaction ends, or null: teams may have none. */
export async function lockDefaultPolicy(trx: Knex, ownerId: string): Promise<PolicyRow | null> {
  const { rows } = await trx.raw<{ rows: PolicyRow[] }>(
    `SELECT * FROM alert_policies WHERE ${ofOwner()} AND is_default FOR UPDATE`,
    { ownerId },
  );
  return rows[0] ?? null;
}

/** Id of the default channel of an owner. */
export async function findDefaultChannel(trx: Knex, ownerId: string): Promise<string> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM alert_channels WHERE ${ofOwner()} AND is_default`,
    { ownerId },
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`"${ownerId}" has no default channel`);
  return row.id;
}

/** Id and name of a monitor. */
export interface NamedMonitor {
  readonly id: string;
  readonly name: string;
}

/** Monitors that name a policy, oldest first, at most `limit`, and the number of all. */
export async function listMonitorsNaming(
  trx: Knex,
  policyId: string,
  limit: number,
): Promise<{ monitors: NamedMonitor[]; total: number }> {
  const { rows } = await trx.raw<{ rows: (NamedMonitor & { total: number })[] }>(
    `SELECT id, name, count(*) OVER ()::int AS total FROM monitors WHERE alert_policy_id = :policyId ORDER BY id LIMIT :limit`,
    { policyId, limit },
  );
  return { monitors: rows, total: rows[0]?.total ?? 0 };
}

/**
 * True if a monitor may name a policy: it is one of the owner, and one of a test key only for a monitor of a test key. The policy
 * cannot be deleted until the transaction ends.
 */
export async function isNameable(
  trx: Knex,
  id: string,
  { owner, isTestMonitor }: { readonly owner: Owner; readonly isTestMonitor: boolean },
): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: object[] }>(
    `SELECT FROM alert_policies WHERE id = :id AND ${ownedBy(owner)} AND (:isTestMonitor OR NOT is_test) FOR KEY SHARE`,
    { id, ownerId: owner.id, isTestMonitor },
  );
  return rows.length > 0;
}

/** Ids and names of the policies of an owner, except the default one. */
export async function listOwnPolicies(trx: Knex, ownerId: string): Promise<{ id: string; name: string }[]> {
  const { rows } = await trx.raw<{ rows: { id: string; name: string }[] }>(
    `SELECT id, name FROM alert_policies WHERE ${ofOwner()} AND NOT is_default ORDER BY id`,
    { ownerId },
  );
  return rows;
}

/** Replaces all settings of the default policy of an owner. */
export async function replaceDefault(trx: Knex, ownerId: string, policy: PolicyFields): Promise<void> {
  await trx('alert_policies').where({ owner_id: ownerId, is_default: true }).update(toColumns(policy));
}

export async function deletePoliciesOfOwner(trx: Knex, ownerId: string): Promise<void> {
  await trx('alert_policies').where({ owner_id: ownerId }).delete();
}

function toColumns(policy: PolicyFields) {
  return {
    name: policy.name,
    is_enabled: policy.is_enabled,
    is_default: policy.is_default,
    monitor_id: policy.monitor_id,
    rules: JSON.stringify(policy.rules),
    escalation: JSON.stringify(policy.escalation),
    on_recovery: JSON.stringify(policy.on_recovery),
    suppression: JSON.stringify(policy.suppression),
    depends_on: policy.depends_on,
  };
}
