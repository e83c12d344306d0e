import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Knex } from 'knex';
import { Slices } from '../../../runtime/slices.js';
import type { WebhookEvent } from '../kinds/payload.js';

/** Event to be stored for one owner. */
export interface StoredEvent extends WebhookEvent {
  readonly ownerId: string;
  readonly subject: string;
}

/** Columns that make up an event, as `readEvent` takes them. */
export interface EventColumns {
  readonly event_id: string;
  readonly kind: WebhookEvent['kind'];
  readonly sequence: string | number;
  readonly is_test: boolean;
  readonly at: Date;
  readonly data: Buffer;
}

/** Steps of an event that is compressed, as `Slices` counts them. */
const STEPS_PER_EVENT = 100;

/** Stores events, each once. */
export async function insertEvents(trx: Knex, events: readonly StoredEvent[]): Promise<void> {
  if (events.length === 0) return;
  const slices = new Slices();
  const packed: Buffer[] = [];
  for (const { data } of events) {
    await slices.spend(STEPS_PER_EVENT);
    packed.push(deflateRawSync(JSON.stringify(data)));
  }
  await trx.raw(
    `INSERT INTO webhook_events (id, owner_id, kind, subject, sequence, is_test, at, data)
     SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::boolean[], ?::timestamptz[], ?::bytea[])
     ON CONFLICT (id) DO NOTHING`,
    [
      events.map(({ id }) => id),
      events.map(({ ownerId }) => ownerId),
      events.map(({ kind }) => kind),
      events.map(({ subject }) => subject),
      events.map(({ sequence }) => sequence),
      events.map(({ isTest }) => isTest),
      events.map(({ at }) => at),
      packed,
    ],
  );
}

export function readEvent(row: EventColumns): WebhookEvent {
  return {
    id: row.event_id,
    kind: row.kind,
    at: row.at,
    sequence: Number(row.sequence),
    isTest: row.is_test,
    data: JSON.parse(inflateRawSync(row.data).toString()),
  };
}
