import type { Knex } from 'knex';

/** Notes that messages go to the address of the account at an instant, unless a channel accepts them. */
export async function insertFallbacks(
  trx: Knex,
  groups: readonly { readonly messageGroup: string; readonly ownerId: string }[],
  dueAtMs: number,
): Promise<void> {
  if (groups.length === 0) return;
  const rows = groups.map(({ messageGroup, ownerId }) => ({
    message_group: messageGroup,
    owner_id: ownerId,
    due_at: new Date(dueAtMs),
  }));
  await trx('alert_fallbacks').insert(rows).onConflict('message_group').ignore();
}

/** Takes groups of messages whose time is over; they return if the transaction is rolled back. */
export async function takeFallbacks(
  trx: Knex,
  nowMs: number,
  limit: number,
): Promise<{ readonly messageGroup: string; readonly ownerId: string }[]> {
  const { rows } = await trx.raw<{ rows: { message_group: string; owner_id: string }[] }>(
    `DELETE FROM alert_fallbacks WHERE message_group IN (
       SELECT message_group FROM alert_fallbacks WHERE due_at <= :now ORDER BY due_at LIMIT :limit FOR UPDATE SKIP LOCKED
     ) RETURNING message_group, owner_id`,
    { now: new Date(nowMs), limit },
  );
  return rows.map((row) => ({ messageGroup: row.message_group, ownerId: row.owner_id }));
}
