import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { compileSchema } from '@vantage/shared/validation.js';
import type { Knex } from 'knex';
import { Slices } from '../runtime/slices.js';
import { EventPayloadError } from './errors.js';
import type { NewEvent } from './event.js';
import { type EventKind, eventKinds } from './kinds/index.js';
import { published } from './published.js';
import { insertEvents } from './store.js';

/** Steps of the check of a payload, as `Slices` counts them. */
const STEPS_PER_CHECK = 30;

const checks = new Map<EventKind, ReturnType<typeof compileSchema>>();

/**
 * Publishes an event in the transaction in which it happens, with a mark for each consumer of its kind: neither ever
 * exists without the other. Consumers look for it when the transaction has committed. The only writer of the outbox.
 * @throws EventPayloadError
 */
export async function publish<K extends EventKind>(trx: Knex, event: NewEvent<K>): Promise<void> {
  await publishAll(trx, [event]);
}

/** Publishes events as `publish` does, in their order, with few statements for all of them. @throws EventPayloadError */
export async function publishAll(trx: Knex, events: readonly NewEvent[]): Promise<void> {
  const slices = new Slices();
  for (const { kind, payload } of events) {
    await slices.spend(STEPS_PER_CHECK);
    const checked = checkOf(kind)(payload);
    if (!checked.ok) throw new EventPayloadError(kind, Object.keys(checked.details));
  }
  if (events.length === 0) return;
  await insertEvents(
    trx,
    events.map((event) => ({ ...event, id: newId(idPrefixes.event) })),
  );
  const kinds = [...new Set(events.map(({ kind }) => kind))];
  published.send(trx, { kinds, ownerIds: [...new Set(events.map(({ ownerId }) => ownerId))] });
}

/** Compiled when the first event of a kind comes. */
function checkOf(kind: EventKind): ReturnType<typeof compileSchema> {
  const check = checks.get(kind) ?? compileSchema(eventKinds[kind].payload);
  checks.set(kind, check);
  return check;
}
