import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';

/** Makes the rows of recipients those of a list; the state of those that stay is kept. @returns the addresses that are new */
export async function syncRecipients(trx: Knex, channelId: string, addresses: readonly string[]): Promise<string[]> {
  await trx('alert_recipients')
    .where({ channel_id: channelId })
    .whereNotIn('address', [...addresses])
    .delete();
  if (addresses.length === 0) return [];
  const added = await trx('alert_recipients')
    .insert(addresses.map((address) => ({ channel_id: channelId, address })))
    .onConflict(['channel_id', 'address'])
    .ignore()
    .returning<{ address: string }[]>('address');
  return added.map(({ address }) => address);
}

/** Code that a recipient was sent, with the tries so far. */
export interface CodeRow {
  readonly code_hash: Buffer | null;
  readonly code_expires_at: Date | null;
  readonly code_tries: number;
}

/** Code of a recipient, locked until the transaction ends; null if none was ever sent. */
export async function lockCode(trx: Knex, channelId: string, address: string): Promise<CodeRow | null> {
  const row = await trx('alert_recipients')
    .where({ channel_id: channelId, address })
    .forUpdate()
    .first<CodeRow | undefined>('code_hash', 'code_expires_at', 'code_tries');
  return row ?? null;
}

/** Stores a new code in place of an earlier one. */
export async function upsertCode(
  trx: Knex,
  {
    channelId,
    address,
    hash,
    expiresAt,
  }: {
    readonly channelId: string;
    readonly address: string;
    readonly hash: Buffer;
    readonly expiresAt: Date;
  },
): Promise<void> {
  const code = { code_hash: hash, code_expires_at: expiresAt, code_tries: 0 };
  await trx('alert_recipients')
    .insert({ channel_id: channelId, address, ...code })
    .onConflict(['channel_id', 'address'])
    .merge(code);
}

/** Counts a wrong code. */
export async function countTry(trx: Knex, channelId: string, address: string): Promise<void> {
  await trx('alert_recipients').where({ channel_id: channelId, address }).increment('code_tries', 1);
}

/** Marks a recipient as verified; the code is used up, and an unsubscription ends. */
export async function markVerified(trx: Knex, channelId: string, address: string, at: Date): Promise<void> {
  await trx('alert_recipients')
    .where({ channel_id: channelId, address })
    .update({ verified_at: at, unsubscribed_at: null, code_hash: null, code_expires_at: null, code_tries: 0 });
}

/** Monitors that a recipient may stop; the oldest stops end first. */
const MAX_STOPPED = 1_000;

/** Recipient of a channel, and a monitor. */
interface RecipientMonitor {
  readonly channelId: string;
  readonly address: string;
  readonly monitorId: string;
}

const STOP_MONITOR = {
  name: 'alerts-stop-monitor',
  text: `INSERT INTO alert_recipients (channel_id, address, stopped_monitors) VALUES ($1, $2, ARRAY[$3])
    ON CONFLICT (channel_id, address) DO UPDATE SET stopped_monitors = (alert_recipients.stopped_monitors || excluded.stopped_monitors)
      [greatest(1, cardinality(alert_recipients.stopped_monitors) + 2 - ${MAX_STOPPED}):]
    WHERE NOT alert_recipients.stopped_monitors @> excluded.stopped_monitors RETURNING address`,
};

/** Adds a monitor to those whose messages a recipient wants no more. @returns false if it was one already */
export async function stopMonitor(trx: Knex, { channelId, address, monitorId }: RecipientMonitor): Promise<boolean> {
  return (await queryPrepared(trx, STOP_MONITOR, [channelId, address, monitorId])).length > 0;
}

const RESUME_MONITOR = {
  name: 'alerts-resume-monitor',
  text: `UPDATE alert_recipients SET stopped_monitors = array_remove(stopped_monitors, $3)
    WHERE channel_id = $1 AND address = $2 AND $3 = ANY(stopped_monitors) RETURNING address`,
};

/** Sends messages about a monitor to a recipient again. @returns false if they were not stopped */
export async function resumeMonitor(trx: Knex, { channelId, address, monitorId }: RecipientMonitor): Promise<boolean> {
  return (await queryPrepared(trx, RESUME_MONITOR, [channelId, address, monitorId])).length > 0;
}

/** Ends the unsubscription of a recipient. @returns false if it was not unsubscribed */
export async function markResubscribed(trx: Knex, channelId: string, address: string): Promise<boolean> {
  const ended = await trx('alert_recipients')
    .where({ channel_id: channelId, address })
    .whereNotNull('unsubscribed_at')
    .update({ unsubscribed_at: null });
  return ended > 0;
}

/** Marks a recipient as unsubscribed. @returns false if it was already */
export async function markUnsubscribed(trx: Knex, channelId: string, address: string, at: Date): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `INSERT INTO alert_recipients (channel_id, address, unsubscribed_at) VALUES (:channelId, :address, :at)
     ON CONFLICT (channel_id, address) DO UPDATE SET unsubscribed_at = excluded.unsubscribed_at
     WHERE alert_recipients.unsubscribed_at IS NULL RETURNING 1`,
    { channelId, address, at },
  );
  return rows.length > 0;
}
