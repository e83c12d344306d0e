import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { afterCommit } from '../../../db/after-commit.js';
import {
  type Consumer,
  defineConsumer,
  type EventOf,
  type WebhookEventKind,
  webhookEventKinds,
} from '../../../events/index.js';
import { Slices } from '../../../runtime/slices.js';
import { insertDeliveries, makeDue, type NewDelivery } from '../deliveries/delivery-store.js';
import { insertEvents, type StoredEvent } from '../deliveries/event-store.js';
import { matches } from '../endpoints/subscription.js';
import { fullDataOf } from '../kinds/payload.js';
import { listSubscribed, type SubscribedEndpoint } from './relay-store.js';

interface RelayOptions {
  readonly publicUrl: string;
  readonly clock: Clock;
  /** Called when deliveries were committed. */
  readonly onDue: () => void;
  /** Called with the number of deliveries that were skipped. */
  readonly onSkipped: (count: number) => void;
}

/** Creates deliveries of events for the webhook endpoints of their owners, with few statements for any number of events. */
export function webhookRelay(options: RelayOptions): Consumer {
  return defineConsumer({
    name: 'webhooks.relay',
    kinds: Object.keys(webhookEventKinds) as WebhookEventKind[],
    handleAll: (events, { trx }) => relay(trx, events as readonly EventOf<WebhookEventKind>[], options),
  });
}

/** Steps of an event, and of an endpoint that may receive it, as `Slices` counts them: filters and new ids. */
const STEPS_PER_EVENT = 50;
const STEPS_PER_ENDPOINT = 8;

async function relay(trx: Knex, events: readonly EventOf<WebhookEventKind>[], options: RelayOptions): Promise<void> {
  const { clock, onDue, onSkipped } = options;
  const endpoints = await listSubscribed(
    trx,
    events.map(({ ownerId }) => ownerId),
  );
  if (endpoints.length === 0) return;
  const endpointsOf = byOwner(endpoints);
  const at = new Date(clock.now());
  const slices = new Slices();
  const handed: Handed[] = [];
  for (const event of events) {
    const own = endpointsOf.get(event.ownerId) ?? [];
    await slices.spend(STEPS_PER_EVENT + STEPS_PER_ENDPOINT * own.length);
    handed.push(...handOver(event, receiversOf(event, own), { options, at }));
  }
  const deliveries = handed.flatMap(({ deliveries: own }) => own);
  await insertEvents(
    trx,
    handed.map(({ stored }) => stored),
  );
  await insertDeliveries(trx, deliveries);
  const pending = deliveries.filter(({ status }) => status === 'pending');
  await makeDue(
    trx,
    pending.map(({ endpointId }) => endpointId),
    at,
  );
  afterCommit(trx, () => {
    if (pending.length > 0) onDue();
    if (pending.length < deliveries.length) onSkipped(deliveries.length - pending.length);
  });
}

function byOwner(endpoints: readonly SubscribedEndpoint[]): ReadonlyMap<string, readonly SubscribedEndpoint[]> {
  const owners = new Map<string, SubscribedEndpoint[]>();
  for (const endpoint of endpoints) {
    const own = owners.get(endpoint.owner_id);
    if (own === undefined) owners.set(endpoint.owner_id, [endpoint]);
    else own.push(endpoint);
  }
  return owners;
}

/** Endpoints of its owner that receive an event: those that subscribe to it; those of test keys get events of test resources only. */
function receiversOf(event: EventOf<WebhookEventKind>, endpoints: readonly SubscribedEndpoint[]): SubscribedEndpoint[] {
  const { kind, subject, isTest, payload } = event;
  // events of an alert are about its monitor
  const monitor = 'monitor' in payload ? payload.monitor : null;
  const tags = monitor === null ? null : (monitor.tags ?? []);
  return endpoints.filter(
    ({ is_test, events, monitor_ids: monitorIds, tags_any: tagsAny }) =>
      is_test === isTest && matches({ events, monitorIds, tagsAny }, { kind, subject: monitor?.id ?? subject, tags }),
  );
}

/** Event and its deliveries to be stored. */
interface Handed {
  readonly stored: StoredEvent;
  readonly deliveries: readonly NewDelivery[];
}

/** Event and its deliveries to be stored; empty if no endpoint receives it. */
function handOver(
  event: EventOf<WebhookEventKind>,
  receivers: readonly SubscribedEndpoint[],
  { options, at }: { readonly options: RelayOptions; readonly at: Date },
): Handed[] {
  if (receivers.length === 0) return [];
  const { id, kind, sequence, subject, ownerId, isTest } = event;
  const data = fullDataOf(event, options);
  const stored = { id, kind, sequence, subject, ownerId, isTest, at: event.at, data };
  const deliveries = receivers.map(({ id: endpointId, payload, status }) => ({
    id: newId(idPrefixes.webhookDelivery, at.getTime()),
    ownerId,
    endpointId,
    event: { id, kind, sequence, subject },
    payload,
    status: status === 'active' ? ('pending' as const) : ('skipped' as const),
    lane: 'new' as const,
    dueAt: at,
    redeliveryOf: null,
    at,
  }));
  return [{ stored, deliveries }];
}
