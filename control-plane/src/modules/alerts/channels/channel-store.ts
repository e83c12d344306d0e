import type { Knex } from 'knex';
import { literalOf } from '../../../db/literal.js';
import { type CountedPage, type PageRange, queryNamed, queryPage } from '../../../db/named.js';
import { type Owner, ofOwner, ownedBy } from '../../../owners/index.js';
import { typesWithCodes } from '../types/registry.js';
import type { ChannelColumns, ChannelRow, UsedChannelRow } from './channel-row.js';

const COLUMNS = `c.id, c.owner_id, c.created_by, c.is_test, c.name, c.type, c.config, c.sealed_secrets, c.is_enabled, c.is_default, c.locale,
  c.timezone, c.max_per_minute, c.template, c.verified_at, c.health, c.health_since, c.failed_since, c.last_error, c.last_sent_at, c.warned_at,
  c.created_at, c.updated_at, o.plan AS account_plan, u.email AS account_email, u.email_verified_at IS NOT NULL AS is_account_verified,
  coalesce(u.locale, 'en') AS account_locale, coalesce(u.timezone, 'UTC') AS account_timezone,
  (SELECT coalesce(json_agg(json_build_object('address', r.address, 'is_verified', r.verified_at IS NOT NULL,
     'is_unsubscribed', r.unsubscribed_at IS NOT NULL, 'stopped_monitors', r.stopped_monitors)), '[]') FROM alert_recipients r WHERE r.channel_id = c.id) AS recipients`;
/** SQL condition: policy `p` names channel `c` anywhere. */
export const NAMES_CHANNEL = `jsonb_path_query_array(jsonb_build_array(p.rules, p.escalation, p.on_recovery), '$.**.channel_id') @> to_jsonb(c.id)`;
const JOINED = 'alert_channels c JOIN owners o ON o.id = c.owner_id LEFT JOIN users u ON u.id = c.owner_id';

/** SQL of the columns of `UsedChannelRow`, with the policies that a caller may see. */
const usedColumns = (owner: Owner) => `${COLUMNS},
  (SELECT coalesce(json_agg(json_build_object('id', p.id, 'name', p.name) ORDER BY p.id), '[]') FROM alert_policies p
   WHERE ${ownedBy(owner, 'p')} AND p.is_enabled AND ${NAMES_CHANNEL}) AS used_by`;

/** NOTE: in step with `isVerified` in channel-view.ts. */
const IS_VERIFIED = `CASE WHEN c.is_default THEN u.email_verified_at IS NOT NULL
  WHEN c.type IN (${typesWithCodes.map((type) => literalOf(type)).join(', ')})
    THEN NOT EXISTS (SELECT FROM alert_recipients r WHERE r.channel_id = c.id AND (r.unsubscribed_at IS NOT NULL
      OR (r.verified_at IS NULL AND NOT (u.email_verified_at IS NOT NULL AND r.address = u.email))))
  ELSE c.verified_at IS NOT NULL END`;

/** Number of channels of an owner, the default one included. */
export async function countChannels(trx: Knex, ownerId: string): Promise<number> {
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    `SELECT count(*)::int AS count FROM alert_channels WHERE ${ofOwner()}`,
    { ownerId },
  );
  return rows[0]?.count ?? 0;
}

/** True if another channel of an owner has a name, whichever key created it. */
export async function isNameTaken(trx: Knex, ownerId: string, name: string, exceptId: string | null): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `SELECT 1 FROM alert_channels WHERE ${ofOwner()} AND name = :name AND id IS DISTINCT FROM :exceptId`,
    { ownerId, name, exceptId },
  );
  return rows.length > 0;
}

export async function insertChannel(trx: Knex, { config, template, ...columns }: ChannelColumns): Promise<void> {
  await trx('alert_channels').insert({ ...columns, config: JSON.stringify(config), template: jsonOf(template) });
}

function jsonOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** Changes columns of a channel. */
export async function updateChannel(
  trx: Knex,
  id: string,
  { config, template, ...changes }: Partial<Omit<ChannelColumns, 'id' | 'owner_id'>>,
): Promise<void> {
  await trx('alert_channels')
    .where({ id })
    .update({
      ...changes,
      ...(config === undefined ? {} : { config: JSON.stringify(config) }),
      ...(template === undefined ? {} : { template: jsonOf(template) }),
    });
}

export async function deleteChannel(trx: Knex, id: string): Promise<void> {
  await trx('alert_channels').where({ id }).delete();
  await trx('alert_threads').where({ channel_id: id }).delete();
}

/** Channel of an owner, or null. */
export async function findChannel(db: Knex, id: string, owner: Owner): Promise<UsedChannelRow | null> {
  const sql = `SELECT ${usedColumns(owner)} FROM ${JOINED} WHERE c.id = :id AND ${ownedBy(owner, 'c')}`;
  const [row] = await queryNamed<UsedChannelRow>(db, 'alert-channel', sql, { id, ownerId: owner.id });
  return row ?? null;
}

/** Channel of an owner, locked until the transaction ends, or null. */
export async function lockChannel(trx: Knex, id: string, owner: Owner): Promise<ChannelRow | null> {
  const { rows } = await trx.raw<{ rows: ChannelRow[] }>(
    `SELECT ${COLUMNS} FROM ${JOINED} WHERE c.id = :id AND ${ownedBy(owner, 'c')} FOR NO KEY UPDATE OF c`,
    { id, ownerId: owner.id },
  );
  return rows[0] ?? null;
}

/** Channels that policies of an owner may name, oldest first; none can be changed or deleted until the transaction ends. */
export async function shareChannels(trx: Knex, owner: Owner): Promise<ChannelRow[]> {
  const { rows } = await trx.raw<{ rows: ChannelRow[] }>(
    `SELECT ${COLUMNS} FROM ${JOINED} WHERE (${ownedBy(owner, 'c')} OR (${ofOwner('c')} AND c.is_default)) ORDER BY c.id FOR SHARE OF c`,
    { ownerId: owner.id },
  );
  return rows;
}

/** Channels by id, of any owner. */
export async function readChannels(db: Knex, ids: readonly string[]): Promise<ChannelRow[]> {
  const sql = `SELECT ${COLUMNS} FROM ${JOINED} WHERE c.id = ANY(:ids)`;
  return queryNamed<ChannelRow>(db, 'alert-channels-by-id', sql, { ids: [...ids] });
}

/** Channel of any owner, locked until the transaction ends, or null. */
export async function lockAnyChannel(trx: Knex, id: string): Promise<ChannelRow | null> {
  const { rows } = await trx.raw<{ rows: ChannelRow[] }>(
    `SELECT ${COLUMNS} FROM ${JOINED} WHERE c.id = :id FOR NO KEY UPDATE OF c`,
    { id },
  );
  return rows[0] ?? null;
}

/** Conditions of a list of channels; undefined matches any. */
export interface ChannelFilter {
  readonly type?: string | undefined;
  readonly verified?: boolean | undefined;
  readonly health?: string | undefined;
}

/** Page of an owner's channels, newest first, and the number of all. */
export function listChannels(
  db: Knex,
  owner: Owner,
  { type, verified, health }: ChannelFilter,
  page: PageRange,
): Promise<CountedPage<UsedChannelRow>> {
  const where = [
    ownedBy(owner, 'c'),
    ...(type === undefined ? [] : ['c.type = :type']),
    ...(health === undefined ? [] : ['c.health = :health']),
    ...(verified === undefined ? [] : [`(${IS_VERIFIED}) = :verified`]),
  ].join(' AND ');
  const values = { ownerId: owner.id, type: type ?? null, health: health ?? null, verified: verified ?? null };
  const query = { name: 'alert-channels', columns: usedColumns(owner), from: JOINED, where, orderBy: 'c.id DESC' };
  return queryPage<UsedChannelRow>(db, query, { ...values, ...page });
}

/** Ids and names of the channels of an owner, except the default one. */
export async function listChannelNames(trx: Knex, ownerId: string): Promise<{ id: string; name: string }[]> {
  const { rows } = await trx.raw<{ rows: { id: string; name: string }[] }>(
    `SELECT id, name FROM alert_channels WHERE ${ofOwner()} AND NOT is_default ORDER BY id`,
    { ownerId },
  );
  return rows;
}

/** Resets the default channel of an owner to what it was at first, and forgets that its address unsubscribed. */
export async function resetDefaultChannel(trx: Knex, ownerId: string): Promise<void> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `UPDATE alert_channels SET is_enabled = true, locale = NULL, timezone = NULL, max_per_minute = NULL, template = NULL WHERE ${ofOwner()} AND is_default RETURNING id`,
    { ownerId },
  );
  for (const { id } of rows) await trx('alert_recipients').where({ channel_id: id }).delete();
}

/** Deletes the channels of an owner, with their recipients. */
export async function deleteChannelsOfOwner(trx: Knex, ownerId: string): Promise<void> {
  await trx.raw(`DELETE FROM alert_threads WHERE channel_id IN (SELECT id FROM alert_channels WHERE ${ofOwner()})`, {
    ownerId,
  });
  await trx('alert_channels').where({ owner_id: ownerId }).delete();
}

/** Channels that fail, those that have failed longest first. */
export async function listFailing(
  db: Knex,
  limit: number,
): Promise<Pick<ChannelRow, 'id' | 'type' | 'name' | 'owner_id' | 'health_since' | 'last_error'>[]> {
  return db('alert_channels')
    .where({ health: 'failing' })
    .orderBy('health_since')
    .limit(limit)
    .select('id', 'type', 'name', 'owner_id', 'health_since', 'last_error');
}

/** Number of channels that fail, by type. */
export async function countFailing(db: Knex): Promise<Record<string, number>> {
  const { rows } = await db.raw<{ rows: { type: string; count: number }[] }>(
    "SELECT type, count(*)::int AS count FROM alert_channels WHERE health = 'failing' GROUP BY type",
  );
  return Object.fromEntries(rows.map(({ type, count }) => [type, count]));
}
