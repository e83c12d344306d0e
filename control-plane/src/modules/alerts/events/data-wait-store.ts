import type { Knex } from 'knex';

/** Monitor without data of which a policy opens an alert later. Milliseconds since the epoch. */
export interface DataWait {
  readonly monitorId: string;
  readonly sinceMs: number;
  readonly dueAtMs: number;
}

/** Marks monitors without data to be looked at again, each at its instant. */
export async function insertDataWaits(trx: Knex, waits: readonly DataWait[]): Promise<void> {
  if (waits.length === 0) return;
  const isoOf = (ms: number) => new Date(ms).toISOString();
  await trx.raw(
    `INSERT INTO alert_data_waits (monitor_id, since, due_at)
     SELECT * FROM unnest(?::text[], ?::timestamptz[], ?::timestamptz[]) AS w(monitor_id, since, due_at)`,
    [
      waits.map(({ monitorId }) => monitorId),
      waits.map(({ sinceMs }) => isoOf(sinceMs)),
      waits.map(({ dueAtMs }) => isoOf(dueAtMs)),
    ],
  );
}

/** Takes marks that are due, oldest first; no one else can take them unless the transaction fails. */
export async function takeDataWaits(
  trx: Knex,
  nowMs: number,
  limit: number,
): Promise<readonly Omit<DataWait, 'dueAtMs'>[]> {
  const { rows } = await trx.raw<{ rows: { monitor_id: string; since: Date }[] }>(
    `DELETE FROM alert_data_waits WHERE id = ANY(ARRAY(
       SELECT id FROM alert_data_waits WHERE due_at <= ? ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED
     )) RETURNING monitor_id, since`,
    [new Date(nowMs), limit],
  );
  return rows.map(({ monitor_id: monitorId, since }) => ({ monitorId, sinceMs: since.getTime() }));
}
